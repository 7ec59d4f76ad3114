/** How channels are called and coloured. */
import { BellRing, Mail, Send, Webhook, type LucideIcon } from "lucide-react";
import type { Tone } from "../core/ui/tone";
import type { Channel } from "./calls";

const TONES: Readonly<Record<Channel["observed"], Tone>> = {
  paused: "grey",
  starting: "amber",
  ready: "green",
  retrying: "red",
};

export const toneOfChannel = ({ observed }: Pick<Channel, "observed">): Tone => TONES[observed];

interface Picture {
  icon: LucideIcon;
  words: string;
}

const PICTURES: Readonly<Record<string, Picture>> = {
  webhook: { icon: Webhook, words: "Signed JSON to an address" },
  mail: { icon: Mail, words: "One mail to some people" },
  alertmanager: { icon: BellRing, words: "An Alertmanager, which routes and repeats" },
};

/** What a kind of channel looks like in a list of kinds. */
export const pictureOf = (kind: string): Picture => PICTURES[kind] ?? { icon: Send, words: "" };
