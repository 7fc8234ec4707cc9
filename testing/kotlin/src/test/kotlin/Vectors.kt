// SPDX-License-Identifier: Apache-2.0
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import org.jhal.*

const val SIZE = 1000
val LIMIT: Duration = Duration.ofSeconds(30)

fun source(): ExecutableSource =
    ExecutableSource.builder("vectors")
        .kernel(
            "scale",
            64,
            Parameter.constant("factor", ElementType.F32),
            Parameter.inout("x", ElementType.F32),
        )
        .java("scale") { group ->
            val x = group.memory(1).floats()
            for (i in group.firstX() until group.endX(x.length())) {
                x[i] = group.f32(0) * x[i]
            }
        }
        .build()

fun inSequence(device: Device, scale: Kernel): FloatArray {
    val values = FloatArray(SIZE) { it.toFloat() }
    device.createSequence().use { sequence ->
        val steps = sequence.on(device.queue(0))
        val x = steps.uploading(HostMemory.of(values))
        steps.dispatch(scale, scale.covering(SIZE.toLong()), Args.of(2f, x))
        steps.readback(x, HostMemory.of(values))
        sequence.await(LIMIT)
    }
    return values
}

fun asFuture(device: Device, scale: Kernel, factor: Float): CompletableFuture<FloatArray> =
    device.queue(0).compute(LIMIT) { steps ->
        val values = FloatArray(SIZE) { 1f }
        val x = steps.uploading(HostMemory.of(values))
        steps.dispatch(scale, scale.covering(SIZE.toLong()), Args.of(factor, x))
        steps.readback(x, HostMemory.of(values))
        values
    }

fun withTimelines(device: Device): Int {
    val bytes = ByteArray(16)
    device.createSemaphore().use { timeline ->
        device.allocate(16, BufferParams.DEVICE).use { buffer ->
            val queue = device.queue(0)
            queue.fill(Fence.NONE, timeline.at(1), buffer, 0, 16, FillPattern.of8(7))
            queue.readback(timeline.at(1), timeline.at(2), buffer, 0, HostMemory.of(bytes))
            timeline.await(2, LIMIT)
        }
    }
    return bytes.sum()
}

fun main(args: Array<String>) {
    Hal.openDevice(args[0]).use { device ->
        device.loadExecutable(source()).use { kernels ->
            val scale = kernels.kernel("scale")
            println(inSequence(device, scale).sum())
            println(asFuture(device, scale, 3f).get(60, TimeUnit.SECONDS).sum())
            val both = listOf(1f, 2f).map { asFuture(device, scale, it) }
            println(both.map { it.join()[0] })
        }
        println(withTimelines(device))
        println(device.lostCause()?.status() ?: "not lost")
        try {
            device.queue(device.queueCount())
        } catch (e: HalException) {
            println(if (e.status() == Status.OUT_OF_RANGE) "no such queue" else e.message)
        }
    }
}
