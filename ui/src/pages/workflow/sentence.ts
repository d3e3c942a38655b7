// What is so with a workflow, in a sentence: how its newest version does, and what is under way.
import type { WorkflowStatistics } from "../../api/schema";
import type { Part } from "../../parts/Parts.svelte";
import { duration } from "../../text/durations";
import { counted, percent } from "../../text/numbers";
import { shortVersion } from "./versions";

/** `version` is the one that is shown, and `since` when it was first seen. */
export function sentenceOf(
  statistics: WorkflowStatistics,
  version: string,
  since: string,
  isNewest: boolean,
  now: number,
): Part[] {
  const own = statistics.by_version.find((each) => each.version === version);
  const open = statistics.by_version.reduce((sum, each) => sum + each.open, 0);
  const age = duration(Math.max(1, Math.floor((now - Date.parse(since)) / 1000)));
  const name = shortVersion(version);
  const begin = isNewest ? `${name} has been out for ${age}` : `${name} is not the newest`;
  if (!own) {
    const { looked_at } = statistics;
    const many =
      looked_at === 1
        ? "the last run is not of it"
        : `none of the last ${counted(looked_at, "run")} is of it`;
    const runs = looked_at ? many : "it has no runs so far";
    return [{ text: `${begin}; ${runs}.` }, ...underWay(open)];
  }
  const ended = own.runs - own.open;
  if (!ended) {
    const none = `none of its ${counted(own.runs, "run")} has ended yet`;
    const text = own.runs === 1 ? "its only run has not ended yet" : none;
    return [{ text: `${begin}; ${text}.` }, ...underWay(open - (own.runs === 1 ? own.open : 0))];
  }
  return [
    { text: `${begin}${doesWell(own.failed, ended)} ` },
    { text: `${counted(ended, "run")} ended, ${failedWords(own.failed, ended)}.`, kind: "strong" },
    ...(statistics.took ? [{ text: ` Typically ${duration(statistics.took.median)}.` }] : []),
    ...underWay(open),
  ];
}

/** What the numbers of tasks or nodes are about: `what the last 20 runs asked for, all versions`. */
export function numbersOf(runs: number, isCode: boolean): string {
  if (!runs) return "no numbers yet";
  const last = `the last ${runs === 1 ? "run" : counted(runs, "run")}`;
  return `${isCode ? `what ${last} asked for` : last}, all versions`;
}

const RARE = 0.02;

function doesWell(failed: number, ended: number): string {
  if (failed === 0) return " and does well:";
  return failed / ended < RARE ? " and mostly does well:" : ":";
}

function failedWords(failed: number, ended: number): string {
  if (failed === 0) return "none failed";
  if (failed === ended) return "all of them failed";
  return `${failed.toLocaleString("en")} failed (${percent(failed, ended)})`;
}

function underWay(open: number): Part[] {
  if (!open) return [];
  return [{ text: ` ${open === 1 ? "One run is" : `${open.toLocaleString("en")} runs are`} under way.` }];
}
