import { useConsole } from './console-context.js';

/** The audit and the memory of one device, as the coordinator gives them. */
export function RecordLinks({ deviceId }: { readonly deviceId: string }) {
  const { text } = useConsole();
  const scope = `device_${encodeURIComponent(deviceId)}`;
  return (
    <>
      <a href={`./v1/audit?scope=${scope}`} target="_blank" rel="noreferrer" aria-label={`${text.audit} ${deviceId}`}>
        {text.audit}
      </a>{' '}
      <a href={`./v1/memory/${scope}`} target="_blank" rel="noreferrer" aria-label={`${text.memory} ${deviceId}`}>
        {text.memory}
      </a>
    </>
  );
}
