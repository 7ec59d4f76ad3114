/** The tests and samples that were exported with a plan: read, and kept with the plan that they come to. */
import { describeError } from "../../core/api/client";
import { isEqualJson } from "../../core/graph/structuralSharing";
import { isRecord } from "../../core/api/shape";
import { calls } from "../../core/api/sampleCalls";
import type { Expectation, SampleEvent } from "../../core/api/samples";

interface ExportedTest {
  name: string;
  sample: string;
  expected: Expectation[];
}

export interface Exported {
  tests: readonly ExportedTest[];
  samples: Readonly<Record<string, Readonly<Record<string, readonly SampleEvent[]>>>>;
}

function isTest(value: unknown): value is ExportedTest {
  return (
    isRecord(value) &&
    typeof value.name === "string" &&
    typeof value.sample === "string" &&
    Array.isArray(value.expected) &&
    value.expected.every((one) => isRecord(one) && typeof one.node === "string")
  );
}

function isSample(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(Array.isArray);
}

/** What an exported file holds beside its plan; null where it is none, words where that cannot be read. */
export function readTests(value: Record<string, unknown>): Exported | string | null {
  const { tests = [], samples = {} } = value;
  if (value.export === undefined) return null;
  if (value.export !== 1) return "Its tests were exported by another version and are not imported.";
  if (!Array.isArray(tests) || !tests.every(isTest))
    return "Its tests cannot be read: each has a name, a sample, and what is expected.";
  if (!isRecord(samples) || !Object.values(samples).every(isSample))
    return "Its samples cannot be read: each has lists of events by stream.";
  const lost = tests.find(({ sample }) => !(sample in samples));
  if (lost) return `Its tests cannot be read: the sample of “${lost.name}” is missing.`;
  return tests.length === 0 ? null : { tests, samples: samples as Exported["samples"] };
}

/** A name that the plan's tests do not have yet. */
function free(name: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n += 1) {
    const one = n === 1 ? name : `${name} (${n})`;
    if (!taken.has(one)) return one;
  }
}

/** An exported sample is called after its number there, which says nothing here. */
const sampleName = (name: string): string => name.replace(/ \(\d+\)$/, "");

/** Keep the samples and the tests with a plan, whose nodes may have got new names; what could not be kept, in words. */
export async function keepTests(
  plan: number,
  { tests, samples }: Exported,
  names: ReadonlyMap<string, string>,
): Promise<string[]> {
  const failures: string[] = [];
  const kept = new Map<string, number>();
  const there = await calls.tests(plan);
  const taken = new Set(there.map((planTest) => planTest.name));
  for (const { name, sample, expected } of tests) {
    try {
      const number = kept.get(sample) ?? (await calls.keep(sampleName(sample), samples[sample] ?? {})).id;
      kept.set(sample, number);
      const moved = expected.map((expectation) => ({
        ...expectation,
        node: names.get(expectation.node) ?? expectation.node,
      }));
      const known = there.some(
        (planTest) => planTest.sample === number && isEqualJson(planTest.expected, moved),
      );
      if (known) continue;
      const test = { name: free(name, taken), sample: number, expected: moved };
      taken.add((await calls.makeTest(plan, test)).name);
    } catch (error) {
      failures.push(`“${name}”: ${describeError(error)}`);
    }
  }
  return failures;
}
