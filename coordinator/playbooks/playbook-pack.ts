import { type RulePack, rulePackSchema } from '../../agents/runtime/index.js';
import type { Site } from '../../shared/site.js';
import { type Playbook, type PlaybookSlot, slotsOf, utterancesOf } from './playbook.js';

/**
 * The playbooks as one more rule pack, the coordinator's own: an utterance is a template like any other, so that
 * negation, hypotheticals, lists and questions work on playbooks as on everything else. Its method is the playbook.
 */
export function playbookPack(playbooks: readonly Playbook[], site: Site): RulePack {
  return rulePackSchema.parse({
    intents: playbooks.filter((playbook) => utterancesOf(playbook).length > 0).map((one) => intentOf(one, site)),
    titles: Object.fromEntries(playbooks.map((playbook) => [playbook.name, titleOf(playbook)])),
  });
}

const titleOf = ({ name, title }: Playbook) => title ?? { zh: name, en: name.replaceAll('_', ' ') };

function intentOf(playbook: Playbook, site: Site) {
  const all = utterancesOf(playbook);
  const zh = all.filter((template) => CHINESE.test(template));
  const en = all.filter((template) => !CHINESE.test(template));
  const example = (own: readonly string[]): string => spokenExample(own[0] ?? (all[0] as string), site);
  return {
    name: `PLAYBOOK_${playbook.name.toUpperCase()}`,
    method: playbook.name,
    effect: 'write' as const,
    report: true,
    templates: { zh, en },
    verbs: { zh: [], en: [] },
    slots: Object.fromEntries(
      slotsOf(playbook).map((slot) => [slot, { entity: slot, param: slot, ask: ASK[slot as PlaybookSlot] }]),
    ),
    example: { zh: example(zh), en: example(en) },
  };
}

const CHINESE = /\p{Script=Han}/u;

const ASK: Readonly<Record<PlaybookSlot, { zh: string; en: string }>> = {
  zone: { zh: '请指定区域？', en: 'Which zone?' },
  device: { zh: '请指定设备编号？', en: 'Which device?' },
  floor: { zh: '哪一层？', en: 'Which floor?' },
  person: { zh: '请指定人员？', en: 'Which person?' },
};

/** One way of saying a template: first alternatives, nothing optional, a value of this site in each slot. */
function spokenExample(template: string, site: Site): string {
  return valuesIn(template, {
    zone: site.floors.at(-1)?.zones[0]?.id,
    device: site.devices[0]?.id,
    floor: site.floors.at(-1)?.floor,
    person: site.people[0]?.names.zh[0],
  });
}

/** A template with its slots filled, said in its shortest way. */
export function valuesIn(template: string, values: Readonly<Record<string, unknown>>): string {
  let text = template;
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(/\[[^[\]()]*\]/g, '').replace(/\(([^|()[\]]*)[^()[\]]*\)/g, '$1');
  }
  return text
    .replace(/\{([a-z_]+)\}/g, (_whole, slot: string) => String(values[slot] ?? slot))
    .replace(/\s+/g, ' ')
    .trim();
}
