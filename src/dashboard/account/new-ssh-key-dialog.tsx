import { useState } from 'react'
import { addSshKey } from '#contract/api/ssh-key.ts'
import { useAction } from '../api/query.ts'
import { TextArea, TextField } from '../ui/control/field.tsx'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'

export function NewSshKeyDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [publicKey, setPublicKey] = useState('')
  const add = useAction(
    (_input: undefined, { client }) =>
      client.call(addSshKey, { body: { publicKey, ...(name.trim() !== '' && { name: name.trim() }) } }),
    { changes: ['user'], done: 'SSH key added.', quiet: true, after: onClose },
  )
  return (
    <FormDialog
      title="Add SSH key"
      onClose={onClose}
      action="Add key"
      busy={add.isPending}
      onSubmit={() => add.mutate(undefined)}
    >
      <TextArea
        label="Public key"
        hint="The contents of a .pub file. It begins with ssh-ed25519, ecdsa-sha2-… or ssh-rsa."
        error={add.problem}
        value={publicKey}
        onChange={setPublicKey}
        required
      />
      <TextField
        label="Name"
        hint="Optional. The comment of the key is used by default."
        value={name}
        onChange={setName}
        maxLength={100}
        autoComplete="off"
      />
    </FormDialog>
  )
}
