import { z } from 'zod';
import { HermesError, invalidParams } from '../../../shared/errors.js';
import { confirmed, unknown } from '../../../shared/outcome.js';
import { defineTool, type Tool } from '../../runtime/index.js';
import { resolveRecipients } from '../directory.js';

/** One header line: a line break in it would be a header of somebody else's. */
const headerText = z
  .string()
  .max(100)
  .refine((text) => !/[\r\n\0]/.test(text), 'no line breaks');

const delivery = z.object({
  recipient: z.string(),
  address: z.string(),
  channel: z.string(),
  message_id: z.string(),
  sent_time: z.string(),
  state: z.enum(['sent']),
});

/**
 * Tells people. A mail cannot be unsent after the server's 250: rolling back says so and leaves the rest as it is.
 * The message id comes from the operation, so that a repeat of the same request is recognisable as such.
 */
export function notify(): Tool {
  return defineTool({
    name: 'notify',
    version: '1.0.0',
    description: 'sends a message to persons or groups of the directory',
    input: z.strictObject({
      recipients: z.array(z.string().min(1).max(64)).min(1).max(50),
      cc: z.array(z.string().min(1).max(64)).max(50).optional(),
      subject: headerText.optional(),
      body: z.string().max(20_000).optional(),
      priority: z.enum(['low', 'normal', 'high']).optional(),
      channel: z.enum(['email']).default('email'),
    }),
    output: z.object({ recipients: z.array(z.string()), deliveries: z.array(delivery), deduplicated: z.boolean() }),
    side_effects: ['smtp.send'],
    effect_class: 'irreversible',
    risk: 'low',
    timeout_ms: 10_000,
    retry_policy: { max_attempts: 4 },
    async preflight(ctx, input) {
      resolveRecipients(ctx.site, [...input.recipients, ...(input.cc ?? [])]);
      if (!ctx.site.channels.email) {
        throw new HermesError('tool_failed', 'no mail channel is configured', {
          suggestion: 'set channels.email in the topology',
        });
      }
      if (input.body?.trim()) return;
      throw invalidParams('there is nothing to tell', [{ pointer: '/params/body', problem: 'missing' }]);
    },
    async execute(ctx, input) {
      const to = resolveRecipients(ctx.site, input.recipients);
      const cc = resolveRecipients(ctx.site, input.cc ?? []);
      const message_id = `<${ctx.operationId}@${ctx.site.id}.hermes>`;
      await ctx.smtp.send({
        from: ctx.site.channels.email?.from ?? '',
        to: to.map((recipient) => recipient.address),
        ...(cc.length > 0 ? { cc: cc.map((recipient) => recipient.address) } : {}),
        subject: input.subject ?? 'Hermes',
        text: input.body ?? '',
        message_id,
      });
      const sent_time = new Date(ctx.clock.now()).toISOString();
      const deliveries = [...to, ...cc].map((recipient) => ({
        recipient: recipient.id,
        address: recipient.address,
        channel: 'email',
        message_id,
        sent_time,
        state: 'sent' as const,
      }));
      return { recipients: to.map((recipient) => recipient.id), deliveries, deduplicated: false };
    },
    async verify(_ctx, _input, output) {
      if (!output) return unknown({ mail: 'a mail server cannot be asked what it took' });
      return confirmed({ accepted_by_server: true, message_ids: output.deliveries.map((sent) => sent.message_id) });
    },
    risk_reason: 'a mail to people of the site changes no process; the site lists whom it may reach',
    alternatives: { none: 'the site has no other channel' },
    test_cases: [
      {
        name: 'one mail to one person',
        input: { recipients: ['zhang'], subject: 'PLC-007', body: 'restarted' },
        expect: {
          outcome: 'ok',
          output: { deliveries: [{ recipient: 'zhang', state: 'sent' }] },
          effects: ['smtp.send:zhang@x-lab.example'],
        },
      },
      {
        name: 'nothing to somebody whom the site does not know',
        input: { recipients: ['stranger'], subject: 'x' },
        expect: { outcome: 'unknown_entity', effects: [] },
      },
    ],
    rollback: { none: 'a mail cannot be unsent after the server has taken it' },
    snapshot: ({ recipients, subject }, output, about) => ({
      data: {
        action: 'notify',
        recipients,
        subject: subject ?? null,
        deliveries: output.deliveries,
        at: about.at,
        operator: about.operator,
        operation_id: about.operationId,
      },
    }),
  });
}
