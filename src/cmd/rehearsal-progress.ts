// How far a rehearsal is: the same line again in a terminal, a line now and then where output goes into a file or a log.
const plainEverySeconds = 30;

export interface RehearsalProgress {
  show(text: string): void;
  /** Takes the line away. */
  end(): void;
}

export function rehearsalProgress(): RehearsalProgress {
  const { stderr } = process;
  const started = process.hrtime.bigint();
  const seconds = (): number => Number(process.hrtime.bigint() - started) / 1e9;
  if (stderr.isTTY)
    return {
      show: (text) => stderr.write(`\r\u001B[K${text}  (${seconds().toFixed(0)} s)`),
      end: () => stderr.write("\r\u001B[K"),
    };
  let said = 0;
  return {
    show(text) {
      if (seconds() - said < plainEverySeconds) return;
      said = seconds();
      stderr.write(`${text}  (${said.toFixed(0)} s)\n`);
    },
    end: () => undefined,
  };
}
