import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    reporters: ["default", "./scripts/closing-line.ts"],
    projects: [
      { test: { name: "unit", include: ["src/**/*.test.ts"], testTimeout: 60_000 } },
      {
        test: {
          name: "wire",
          include: ["test/wire/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: ["test/wire/setup.ts"],
        },
      },
      { test: { name: "sim", include: ["sim/**/*.test.ts"], testTimeout: 120_000 } },
      { test: { name: "tidy", include: ["scripts/**/*.test.ts"], testTimeout: 60_000 } },
    ],
  },
});
