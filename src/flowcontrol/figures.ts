// What is counted of the requests of one FlowSchema in one priority level: plain numbers that the work itself keeps up,
// and that metrics read when somebody asks.
import { BucketCounts } from "../std/bucket-counts.ts";

const secondsBounds = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const lengthBounds = [0, 10, 25, 50, 100, 250, 500, 1_000];
const seatBounds = [1, 2, 4, 8, 16, 32, 64, 100];
const watcherBounds = [0, 1, 10, 100, 1_000, 10_000];

export type RejectReason = "queue-full" | "concurrency-limit" | "time-out";

export class FlowFigures {
  readonly level: string;
  readonly schema: string;
  dispatched = 0;
  readonly rejected: Record<RejectReason, number> = {
    "queue-full": 0,
    "concurrency-limit": 0,
    "time-out": 0,
  };
  waitingRequests = 0;
  waitingSeats = 0;
  executingRequests = 0;
  executingSeats = 0;
  noAccommodation = 0;
  readonly queueLength: BucketCounts = new BucketCounts(lengthBounds);
  readonly waitedThenRan: BucketCounts = new BucketCounts(secondsBounds);
  readonly waitedInVain: BucketCounts = new BucketCounts(secondsBounds);
  readonly ran: BucketCounts = new BucketCounts(secondsBounds);
  readonly watchBegan: BucketCounts = new BucketCounts(secondsBounds);
  readonly watchers: BucketCounts = new BucketCounts(watcherBounds);
  readonly seats: BucketCounts = new BucketCounts(seatBounds);

  constructor(level: string, schema: string) {
    this.level = level;
    this.schema = schema;
  }
}
