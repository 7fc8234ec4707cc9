// SPDX-License-Identifier: Apache-2.0
import java.awt.image.BufferedImage;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import javax.imageio.ImageIO;
import org.jhal.*;

/** Draws a Julia set on any device: Julia DEVICE PICTURE.png. */
public class Julia {
  public static void main(String[] args) throws Exception {
    int width = 900;
    int height = 600;
    int[] pixels = new int[width * height];
    try (Device device = Hal.openDevice(args[0]);
        Executable kernels = device.loadExecutable(ExecutableSource.of(Path.of("examples/julia")));
        Sequence sequence = device.createSequence()) {
      QueueSteps steps = sequence.on(device.queue(0));
      DeviceBuffer image = steps.allocate(ElementType.I32, pixels.length);
      Kernel julia = kernels.kernel("julia");
      Args parameters =
          Args.named(julia)
              .set("width", width)
              .set("height", height)
              .set("re", -0.8f)
              .set("im", 0.156f)
              .set("pixels", image)
              .build();
      steps.dispatch(julia, julia.covering(width, height), parameters);
      steps.readback(image, HostMemory.of(pixels));
      sequence.await(Duration.ofSeconds(30));
      System.out.println(device.info().name() + " drew " + width + " x " + height);
    }
    BufferedImage picture = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    picture.setRGB(0, 0, width, height, pixels, 0, width);
    if (!ImageIO.write(picture, "png", new File(args[1]))) {
      throw new IllegalStateException("this JDK writes no PNG files");
    }
  }
}
