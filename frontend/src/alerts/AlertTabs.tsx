import "./alerts.css";

const TABS = [
  ["alerts", "Alerts", "/alerts/"],
  ["incidents", "Incidents", "/incidents/"],
  ["silences", "Silences", "/silences/"],
  ["channels", "Channels", "/channels/"],
] as const;

/** The lists that belong to alerts. */
export function AlertTabs({ here }: { here: (typeof TABS)[number][0] }) {
  return (
    <nav className="tabs" aria-label="Alerting">
      {TABS.map(([name, title, address]) => (
        <a key={name} href={address} aria-current={name === here ? "page" : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
