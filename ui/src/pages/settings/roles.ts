export type RoleName = "viewer" | "operator" | "admin" | "worker";

export const ROLES: RoleName[] = ["viewer", "operator", "admin", "worker"];

/** "You may …" */
export const MAY: Record<string, string> = {
  viewer: "read everything",
  operator: "read everything, and start, signal, answer, stop and retry runs",
  admin: "do everything",
  worker: "take tasks and report on them, and nothing else",
};
