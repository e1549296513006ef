// The last line of every test run: how many tests passed and failed, in a form that any reader can count.
import type { Reporter, TestModule } from "vitest/node";

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string): number =>
      tests.filter((test) => test.result().state === state).length;
    // A module that did not load has no tests to fail; it counts as one.
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    const skipped = count("skipped");
    console.log(
      `${count("passed")} passed, ${count("failed") + broken} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`,
    );
  }
}
