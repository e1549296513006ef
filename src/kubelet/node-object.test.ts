import { expect, it } from "vitest";
import { newNode, nodeStatusOf, nodeStatusPatch } from "./node-object.ts";

const at = Date.parse("2026-01-01T00:00:00Z");
const node = newNode("node-0", { index: 0, now: at, podsMax: undefined });

it("tells in a heartbeat that nothing happened when it was, and nothing else", () => {
  const later = nodeStatusOf(node, { index: 0, boot: 0, now: at + 300_000 });
  const lastHeartbeatTime = "2026-01-01T00:05:00Z";
  const types = ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"];
  const conditions = types.map((type) => ({ type, lastHeartbeatTime }));
  expect(nodeStatusPatch(node, later)).toEqual({ status: { conditions } });
});

it("tells what is new after a reboot, and sets right what others wrote", () => {
  const [ready] = node.status!.conditions!.slice(-1);
  const doubted = { ...ready!, status: "Unknown", reason: "NodeStatusUnknown", message: "no news" };
  const conditions = [...node.status!.conditions!.slice(0, -1), doubted];
  const lost = { ...node, status: { ...node.status, conditions } };
  const now = nodeStatusOf(lost, { index: 0, boot: 1, now: at + 1_000 });
  const { nodeInfo } = now;
  expect(nodeInfo?.bootID).toBe("node-0-boot-1");
  const time = "2026-01-01T00:00:01Z";
  expect(nodeStatusPatch(lost, now)).toEqual({
    status: {
      nodeInfo,
      conditions: [
        ...["MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => ({
          type,
          lastHeartbeatTime: time,
        })),
        { ...ready, lastHeartbeatTime: time, lastTransitionTime: time },
      ],
    },
  });
});
