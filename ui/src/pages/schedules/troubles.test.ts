import { describe, expect, it } from "vitest";
import type { PastTick } from "../../api/schema";
import { sentenceOf, troubleOf, type Watched } from "./troubles";

const NOW = Date.parse("2026-03-17T08:47:00Z");

function watched(more: Partial<Watched> = {}): Watched {
  return {
    name: "feed",
    is_paused: false,
    next_at: "2026-03-17T09:00:00Z",
    is_active: false,
    queued: [],
    problem: null,
    overlap: "skip",
    past: [],
    typical_took: null,
    ...more,
  };
}

function tick(more: Partial<PastTick> = {}): PastTick {
  const at = "2026-03-17T08:00:00Z";
  return {
    tick: at,
    run: "feed@8",
    status: "success",
    started_at: at,
    finished_at: at,
    took: 0,
    note: "",
    ...more,
  };
}

const text = (parts: { text: string }[]) => parts.map((part) => part.text).join("");

describe("troubleOf", () => {
  it("finds nothing wrong with a success", () => {
    expect(troubleOf(watched({ past: [tick({ status: "failed" }), tick()] }), NOW)).toBeNull();
  });

  it("says that the last run failed, also while the next is under way", () => {
    const open = tick({ status: "running", finished_at: null, took: null });
    const trouble = troubleOf(watched({ past: [tick({ status: "failed" }), open] }), NOW);
    expect(trouble?.kind).toBe("failed");
    expect(text(trouble?.parts ?? [])).toMatch(/^the \d\d:00 run of feed failed/);
  });

  it("says that a run takes much longer than usual, and what the next tick does", () => {
    const open = tick({ status: "running", finished_at: null, took: null });
    const slow = watched({ past: [open], typical_took: 60, overlap: "queue" });
    expect(text(troubleOf(slow, NOW)?.parts ?? [])).toContain(
      "46\u00a0min longer than usual; its next tick will queue",
    );
    expect(troubleOf({ ...slow, typical_took: 1_200 }, NOW)).toBeNull();
  });

  it("takes a schedule that no node fires for the worst", () => {
    const trouble = troubleOf(
      watched({ problem: "no node has it.", past: [tick({ status: "failed" })] }),
      NOW,
    );
    expect(trouble?.kind).toBe("overdue");
  });

  it("does not mind skipped ticks of a paused schedule", () => {
    const past = [tick({ run: null, status: "skipped", note: "paused" })];
    expect(troubleOf(watched({ past }), NOW)?.kind).toBe("skipped");
    expect(troubleOf(watched({ past, is_paused: true }), NOW)).toBeNull();
  });
});

describe("sentenceOf", () => {
  it("names the next one if all is well", () => {
    expect(text(sentenceOf([watched(), watched({ name: "old", is_paused: true, next_at: null })], NOW))).toBe(
      "2 schedules, no trouble. Next is feed, in 13\u00a0min. One is paused.",
    );
  });

  it("tells the worst first, and how many more there are", () => {
    const failed = watched({ past: [tick({ status: "failed" })] });
    const overdue = watched({ name: "late", problem: "no node has it" });
    const said = text(sentenceOf([failed, overdue, failed, failed], NOW));
    expect(said).toMatch(/^4 schedules, four troubles: late is overdue: no node has it\. The \d\d:00 run/);
    expect(said).toMatch(/1 more below\.$/);
  });
});
