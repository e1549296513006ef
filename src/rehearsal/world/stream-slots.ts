// The streams of one connection whose client opens no second one: whoever comes when all are taken waits until one ends,
// a heartbeat behind watches too (kubernetes#74412; kubelets built with Go before 1.12).
import { type ClientSignal, ConnectionError } from "../../host/http.ts";

export class StreamSlots {
  readonly #max: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Resolves, in the order of coming, with what gives the stream back; rejects when `signal` fires before. */
  take(signal: ClientSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener("abort", leave);
        this.#waiting.delete(enter);
        this.#taken++;
        resolve(this.#giveBack());
      };
      const leave = (): void => {
        this.#waiting.delete(enter);
        reject(new ConnectionError("gave up before there was a stream", false));
      };
      if (signal.aborted) return leave();
      if (this.#taken < this.#max) return enter();
      this.#waiting.add(enter);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  #giveBack(): () => void {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#taken--;
      const [next] = this.#waiting;
      next?.();
    };
  }
}
