// Members that follow the cluster: one reflector a view, by the law of their library.
import type { ReflectorProfile } from "../../informer/reflector-profile.ts";
import { Reflector, type Selection } from "../../informer/reflector.ts";
import { abortable, linkedController, pause } from "../../client/waiting.ts";
import type { Member } from "../member.ts";
import type { InformerBehaviour, VectorBehaviour, View } from "../population.ts";
import { type TemplateValues, fill } from "../template.ts";

export function runInformer(member: Member, behaviour: InformerBehaviour): Promise<void> {
  const { views, copies, staySeconds } = behaviour;
  const all = Array.from({ length: copies }, () => views).flat();
  return follow(member, { views: all, profile: member.library.reflector, staySeconds });
}

const vectorViews: readonly View[] = [
  { resource: "pods", fieldSelector: "spec.nodeName={{.node}}" },
  { resource: "namespaces" },
  { resource: "nodes", fieldSelector: "metadata.name={{.node}}" },
];

export function runVector(member: Member, behaviour: VectorBehaviour): Promise<void> {
  const { sources, useApiserverCache, staySeconds } = behaviour;
  const { reflector } = member.library;
  const profile: ReflectorProfile = useApiserverCache
    ? { ...reflector, firstList: "0", listMatch: "NotOlderThan" }
    : reflector;
  const views = Array.from({ length: sources }, () => vectorViews).flat();
  return follow(member, { views, profile, staySeconds });
}

interface Following {
  readonly views: readonly View[];
  readonly profile: ReflectorProfile;
  readonly staySeconds: number | undefined;
}

async function follow(member: Member, { views, profile, staySeconds }: Following): Promise<void> {
  const controller = linkedController(member.signal);
  let missing = views.length;
  let tellComplete: () => void = () => undefined;
  const complete = new Promise<void>((resolve) => (tellComplete = resolve));
  const running = views.map((view, index) => {
    let known = false;
    const replace = (): void => {
      if (known) return;
      known = true;
      if (--missing > 0) return;
      member.meter.memberSynced();
      tellComplete();
    };
    const { host } = member;
    const random = { stream: (name: string) => host.random.stream(`${index}/${name}`) };
    const reflector = new Reflector(
      { ...host, random },
      {
        resource: member.resource(view.resource),
        selection: selectionOf(view, member.values),
        profile,
        sink: { replace, change: () => undefined },
      },
    );
    return reflector.run(controller.signal);
  });
  const all = Promise.all(running);
  if (staySeconds === undefined) return void (await all);
  try {
    await abortable(Promise.race([complete, all]), member.signal);
    await pause(member.host.clock, staySeconds * 1_000, member.signal);
  } finally {
    controller.abort();
    await all;
  }
}

export function selectionOf(view: View, values: TemplateValues): Selection {
  const { namespace, labelSelector, fieldSelector } = view;
  return {
    ...(namespace === undefined ? {} : { namespace: fill(namespace, values) }),
    ...(labelSelector === undefined ? {} : { labelSelector: fill(labelSelector, values) }),
    ...(fieldSelector === undefined ? {} : { fieldSelector: fill(fieldSelector, values) }),
  };
}
