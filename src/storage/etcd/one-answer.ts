// A stream used for one question and one answer: the calls of etcd that exist only as streams.
import type { EtcdConnection } from "./etcd-connection.ts";

const answerMsMax = 10_000;

/** Resolves with the first thing that `pick` accepts from what comes back. */
export function oneAnswer<Answer>(
  connection: EtcdConnection,
  method: string,
  question: { readonly request: Buffer; pick(bytes: Buffer): Answer | undefined },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { stream } = connection.stream(method, answerMsMax);
    stream.on("data", (bytes: Buffer) => {
      const answer = question.pick(bytes);
      if (answer === undefined) return;
      resolve(answer);
      stream.cancel();
    });
    // After an answer this is the echo of the cancel and changes nothing.
    stream.on("error", (error) => {
      reject(error);
    });
    stream.on("end", () => reject(new Error(`${method} ended without an answer`)));
    stream.write(question.request);
  });
}
