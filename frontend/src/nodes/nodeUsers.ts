import type { NodeDetail } from "../core/api/types";

/** The plans that use a node, each once; of those that are not shared only how many there are. */
export function usersOf({ users }: Pick<NodeDetail, "users">): { plan: number | null; title: string }[] {
  const shown = new Map(
    users.flatMap(({ plan, plan_name }) => (plan === null ? [] : [[plan, plan_name] as const])),
  );
  const hidden = users.filter(({ plan }) => plan === null).length;
  const told: { plan: number | null; title: string }[] = [...shown].map(([plan, title]) => ({ plan, title }));
  if (hidden > 0)
    told.push({
      plan: null,
      title: hidden === 1 ? "one not shared with you" : `${hidden} not shared with you`,
    });
  return told;
}

/** As a plan calls it, else as what it does. */
export const nameOf = ({ users, operator_title }: Pick<NodeDetail, "users" | "operator_title">): string =>
  users.find((user) => user.name !== "")?.name ?? operator_title;
