import { useState } from 'react'
import { issueCertificate, uploadCertificate } from '#contract/api/certificate.ts'
import { explain } from '../api/explain.ts'
import { useAction } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextArea } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'

/** Has a certificate made for names in verified domains. */
export function IssueDialog({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const domains = text.split(/[\s,]+/).filter((name) => name !== '')
  const issue = useAction(
    (_: undefined, { client }) => client.call(issueCertificate, { body: { domains } }),
    {
      changes: ['certificate', 'domain'],
      done: 'The certificate is there.',
      quiet: true,
    },
  )
  return (
    <Dialog
      title="Have a certificate issued"
      about="For names in domains that this account has verified. Hosts that show something get theirs without asking."
      onClose={onClose}
    >
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault()
          issue.mutate(undefined, { onSuccess: onClose })
        }}
      >
        <TextArea
          label="Names"
          hint="One a line, at most 100. *.example.com works where our nameservers answer for the domain."
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
          {issue.isPending && <span className="mr-auto text-sm text-soft">This takes up to a minute.</span>}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={issue.isPending} disabled={domains.length === 0}>
            Issue
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const PARTS = [
  { key: 'cert', label: 'Certificate', hint: undefined },
  { key: 'key', label: 'Private key', hint: 'RSA or ECDSA, not encrypted. It is sealed, and never shown.' },
  { key: 'ca', label: 'Chain', hint: 'The certificates between it and its authority.' },
] as const

/** Stores a certificate that was made elsewhere. */
export function UploadDialog({ onClose }: { onClose: () => void }) {
  const [parts, setParts] = useState({ cert: '', key: '', ca: '' })
  const upload = useAction((_: undefined, { client }) => client.call(uploadCertificate, { body: parts }), {
    changes: ['certificate', 'domain'],
    done: 'The certificate is stored, and used from now on.',
    quiet: true,
  })
  return (
    <FormDialog
      wide
      title="Bring a certificate"
      about="It takes the place of the one for the same names, goes before those that are issued here, and is not renewed for you."
      action="Store the certificate"
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
          autoComplete="off"
          spellCheck={false}
        />
      ))}
      {upload.error && (
        <p role="alert" className="text-sm text-bad">
          {explain(upload.error)}
        </p>
      )}
    </FormDialog>
  )
}
