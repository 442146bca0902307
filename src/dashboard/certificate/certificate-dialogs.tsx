import { useState } from 'react'
import { issueCertificate, uploadCertificate } from '#contract/api/certificate.ts'
import { explain } from '../api/explain.ts'
import { useAction } from '../api/query.ts'
import { Button } from '../ui/control/button.tsx'
import { TextArea } from '../ui/control/field.tsx'
import { Dialog } from '../ui/dialog/dialog.tsx'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'
import { Failure } from '../ui/feedback/failure.tsx'
import { submitting } from '../ui/submitting.ts'
import { Elapsed } from '../ui/text/elapsed.tsx'

/** Has a certificate made for names in verified domains. */
export function IssueDialog({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const domains = text.split(/[\s,]+/).filter((name) => name !== '')
  const issue = useAction(
    (_: undefined, { client }) => client.call(issueCertificate, { body: { domains } }),
    {
      changes: ['certificate', 'domain'],
      done: 'Certificate issued.',
      quiet: true,
    },
  )
  return (
    <Dialog
      title="Issue certificate"
      about="For names in domains this account has verified. Domains in use get one automatically."
      onClose={onClose}
    >
      <form
        className="space-y-4"
        onSubmit={submitting(() => issue.mutate(undefined, { onSuccess: onClose }))}
      >
        <TextArea
          label="Domain names"
          hint="One per line, up to 100. Wildcards such as *.example.com require Aloft nameservers."
          error={issue.error ? explain(issue.error) : undefined}
          mono
          rows={4}
          value={text}
          onChange={setText}
          placeholder={'example.com\nwww.example.com'}
          required
          spellCheck={false}
        />
        <div className="flex items-center justify-end gap-2">
          {issue.isPending && <Issuing count={domains.length} />}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={issue.isPending} disabled={domains.length === 0}>
            Issue
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** What is being done, and for how long already. */
const Issuing = ({ count }: { count: number }) => (
  <span role="status" className="mr-auto text-sm text-soft">
    Verifying {count === 1 ? 'the domain' : `${count} domains`} and requesting the certificate…{' '}
    <Elapsed since={useState(() => Date.now())[0]} />
    <span className="block">This usually takes less than a minute.</span>
  </span>
)

const PARTS = [
  { key: 'cert', label: 'Certificate', hint: undefined },
  {
    key: 'key',
    label: 'Private key',
    hint: 'RSA or ECDSA, without a passphrase. Stored encrypted and never shown again.',
  },
  {
    key: 'ca',
    label: 'Certificate chain',
    hint: 'Intermediate certificates, up to the certificate authority.',
  },
] as const

/** Stores a certificate that was made elsewhere. */
export function UploadDialog({ onClose }: { onClose: () => void }) {
  const [parts, setParts] = useState({ cert: '', key: '', ca: '' })
  const upload = useAction((_: undefined, { client }) => client.call(uploadCertificate, { body: parts }), {
    changes: ['certificate', 'domain'],
    done: 'Certificate uploaded and in use.',
    quiet: true,
  })
  return (
    <FormDialog
      wide
      title="Upload certificate"
      about="Replaces any certificate for the same names and takes precedence over automatic ones. Aloft can't renew it for you."
      action="Upload"
      busy={upload.isPending}
      onSubmit={() => upload.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      {PARTS.map(({ key, label, hint }) => (
        <TextArea
          key={key}
          label={label}
          hint={hint}
          mono
          rows={4}
          value={parts[key]}
          onChange={(value) => setParts({ ...parts, [key]: value })}
          placeholder="-----BEGIN …"
          required
          maxLength={100_000}
          literal
        />
      ))}
      <Failure error={upload.error} />
    </FormDialog>
  )
}
