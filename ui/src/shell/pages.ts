// Which page an address shows. Each is loaded when it is first opened.
import type { Component } from "svelte";

export interface Page {
  title: string;
  load: () => Promise<{ default: Component }>;
}

export function pageOf(parts: string[]): Page | null {
  const [name = "", first] = parts;
  if (parts.length > 2) return null;
  switch (name) {
    case "":
      return { title: "Home", load: () => import("../pages/home/Home.svelte") };
    case "runs":
      return first === undefined
        ? { title: "Runs", load: () => import("../pages/runs/Runs.svelte") }
        : { title: first, load: () => import("../pages/run/Run.svelte") };
    case "compare":
      return first ? null : { title: "Two runs", load: () => import("../pages/run/Compare.svelte") };
    case "workflows":
      return first === undefined
        ? { title: "Workflows", load: () => import("../pages/workflows/Workflows.svelte") }
        : { title: first, load: () => import("../pages/workflow/Workflow.svelte") };
    case "approvals":
      return first ? null : { title: "Approvals", load: () => import("../pages/approvals/Approvals.svelte") };
    case "schedules":
      return first ? null : { title: "Schedules", load: () => import("../pages/schedules/Schedules.svelte") };
    case "fleet":
      return first ? null : { title: "Fleet", load: () => import("../pages/fleet/Fleet.svelte") };
    case "settings":
      return { title: "Settings", load: () => import("../pages/settings/Settings.svelte") };
    case "login":
      return first ? null : { title: "Log in", load: () => import("../pages/login/Login.svelte") };
    default:
      return null;
  }
}
