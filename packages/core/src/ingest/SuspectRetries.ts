/**
 * The retry schedule of suspects: payloads that may crash the recorder, which records each of them alone. After the
 * seventh attempt a suspect becomes a dead letter.
 */
import { Duration } from "effect"

/** The pauses after each attempt to record a suspect. Its lease lasts as long, so an attempt must end before. */
export const suspectPauses: ReadonlyArray<Duration.Duration> = [
  Duration.seconds(5),
  Duration.seconds(20),
  Duration.seconds(80),
  Duration.seconds(320),
  Duration.seconds(1280),
  Duration.hours(1),
  Duration.hours(1),
]
