import "./bell.css";
import { Bell } from "lucide-react";
import { useEffect, useState } from "react";
import { getConnection } from "../socket/pageConnection";
import { formatCounted } from "../ui/format";

const MOST = 99;

/** How many incidents are firing that one may view. */
export default function AlertBell() {
  const [firing, setFiring] = useState(0);
  useEffect(
    () => getConnection().followAlerts((message) => message.type === "bell" && setFiring(message.firing)),
    [],
  );
  const words = firing === 0 ? "No incident is firing" : `${formatCounted(firing, "incidents")} firing`;
  return (
    <a
      className="button quiet bell"
      href={firing === 0 ? "/alerts/" : "/alerts/?state=firing"}
      aria-label={words}
      title={words}
      data-testid="bell"
    >
      <Bell size={16} aria-hidden="true" />
      {firing > 0 && <span className="bell-count">{firing > MOST ? `${MOST}+` : firing}</span>}
    </a>
  );
}
