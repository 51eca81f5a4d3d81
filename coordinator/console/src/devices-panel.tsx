import { useState } from 'react';
import { useConsole } from './console-context.js';
import type { Device } from './contract.js';
import { pointRows } from './device-points.js';
import { ProblemNote } from './problem-note.js';
import { RecordLinks } from './record-links.js';
import { clockTime } from './show-time.js';
import { usePolled } from './use-polled.js';

const LIST_MS = 10_000;
const DETAIL_MS = 2_000;

function linkText(link: Device['link'], unit: string): string {
  if (!link) return '';
  if (typeof link === 'string') return link;
  return `${link.host ?? ''}:${link.port ?? ''}${link.unit === undefined ? '' : ` ${unit} ${link.unit}`}`;
}

/** Live values of one device, while it is open. */
function DeviceDetail({ id }: { readonly id: string }) {
  const { api, clock, text } = useConsole();
  const { value, problem } = usePolled(() => api.device(id), id, DETAIL_MS);
  const rows = pointRows(value?.points);
  const now = clock.now();
  return (
    <div className="device-detail">
      <ProblemNote problem={problem} />
      {value === undefined && problem === undefined && <p className="muted small">{text.loading}</p>}
      {value !== undefined && <p className="small muted">{linkText(value.link, text.unit)}</p>}
      {value !== undefined && rows.length === 0 && <p className="muted small">{text.noPoints}</p>}
      {rows.length > 0 && (
        <table className="points small">
          <thead>
            <tr>
              <th scope="col">{text.point}</th>
              <th scope="col">{text.value}</th>
              <th scope="col">{text.quality}</th>
              <th scope="col">{text.sourceTime}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name} data-quality={row.quality}>
                <th scope="row">{row.name}</th>
                <td className="num">
                  {row.value} <span className="muted">{row.unit}</span>
                </td>
                <td>
                  {text.qualities[row.quality] ?? row.quality} <span className="muted">{row.reason}</span>
                </td>
                <td className="num muted">{clockTime(row.time, now)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className="small">
        <RecordLinks deviceId={id} />
      </p>
    </div>
  );
}

function DeviceRow({ device }: { readonly device: Device }) {
  const [open, setOpen] = useState(false);
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className="grow">{device.id}</span>
          {device.status && (
            <span className="small" data-health={device.status}>
              {device.status}
            </span>
          )}
          <span className="small muted">{device.kind}</span>
          <span className="small muted zone">{device.zone}</span>
        </summary>
        {open && <DeviceDetail id={device.id} />}
      </details>
    </li>
  );
}

export function DevicesPanel() {
  const { api, text } = useConsole();
  const [filter, setFilter] = useState('');
  const { value, problem } = usePolled(() => api.devices(), 'devices', LIST_MS);
  const wanted = filter.trim().toLowerCase();
  const words = (device: Device) => [device.id, device.kind, device.zone, ...(device.names ?? [])].join(' ');
  const shown = (value ?? []).filter((device) => words(device).toLowerCase().includes(wanted));
  return (
    <section className="panel side" aria-labelledby="devices-title">
      <h2 id="devices-title">
        {text.devices} {value && <span className="count">{value.length}</span>}
      </h2>
      <ProblemNote problem={problem} />
      <input
        type="search"
        aria-label={text.filterDevices}
        placeholder={text.filterDevices}
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      {value !== undefined && shown.length === 0 && <p className="muted small">{text.noDevices}</p>}
      <ul className="list scroll">
        {shown.map((device) => (
          <DeviceRow key={device.id} device={device} />
        ))}
      </ul>
    </section>
  );
}
