// SPDX-License-Identifier: Apache-2.0
import java.time.Duration
import org.jhal.*

fun main() {
    val source =
        ExecutableSource.builder("doubling")
            .kernel("twice", 64, Parameter.inout("x", ElementType.F32))
            .java("twice") { group ->
                val x = group.memory(0).floats()
                for (i in group.firstX() until group.endX(x.length())) {
                    x[i] = 2 * x[i]
                }
            }
            .build()
    val values = floatArrayOf(1f, 2f, 3f)
    Hal.openDevice("mock").use { device ->
        device.loadExecutable(source).use { kernels ->
            device.createSequence().use { sequence ->
                val twice = kernels.kernel("twice")
                val steps = sequence.on(device.queue(0))
                val x = steps.uploading(HostMemory.of(values))
                steps.dispatch(twice, twice.covering(3), Args.of(x))
                steps.readback(x, HostMemory.of(values))
                sequence.await(Duration.ofSeconds(60))
            }
        }
    }
    println("kotlin: ${values.toList()}")
}
