// From what a file says of a member's life to the code that lives it.
import { runInformer, runVector } from "./behaviour/informer.ts";
import { runKubelet } from "./behaviour/kubelet.ts";
import { runBystander, runLister, runPoller } from "./behaviour/reader.ts";
import { runCreator, runHotWriter, runMassDeleter } from "./behaviour/writer.ts";
import type { Member } from "./member.ts";
import type { Behaviour } from "./population.ts";

/** Resolves when the member is done; rejects with AbortedError when it is ended. */
export function runBehaviour(member: Member, behaviour: Behaviour): Promise<void> {
  switch (behaviour.kind) {
    case "informer":
      return runInformer(member, behaviour);
    case "vector":
      return runVector(member, behaviour);
    case "lister":
      return runLister(member, behaviour);
    case "poller":
      return runPoller(member, behaviour);
    case "bystander":
      return runBystander(member, behaviour);
    case "hot-writer":
      return runHotWriter(member, behaviour);
    case "mass-deleter":
      return runMassDeleter(member, behaviour);
    case "creator":
      return runCreator(member, behaviour);
    default:
      return runKubelet(member, behaviour);
  }
}

/** A run is over when all members that can end have ended. */
export function endsByItself(behaviour: Behaviour): boolean {
  switch (behaviour.kind) {
    case "lister":
    case "mass-deleter":
    case "creator":
      return true;
    case "hot-writer":
      return behaviour.times !== undefined;
    case "informer":
    case "vector":
      return behaviour.staySeconds !== undefined;
    default:
      return false;
  }
}
