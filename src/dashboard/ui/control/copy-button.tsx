import { useState } from 'react'
import { toast } from '../feedback/toast.tsx'
import { IconButton } from './button.tsx'

/** Puts a text on the clipboard. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
      setTimeout(() => setCopied(false), 1500)
    } catch {
      // Browsers give no clipboard to pages over plain HTTP on another host than localhost.
      toast.bad('Your browser blocked clipboard access. Select the text and copy it manually.')
    }
  }
  return <IconButton icon={copied ? 'check' : 'copy'} label={copied ? 'Copied' : label} onClick={copy} />
}

/** A line of code to copy: a command, a record, an address. An option such as `--event` is never broken. */
export const CopyLine = ({ text, label }: { text: string; label?: string }) => (
  <div className="flex items-center gap-1 rounded-lg border border-line bg-bg py-0.5 pr-0.5 pl-3">
    <code className="min-w-0 flex-1 py-1.5 font-mono text-[0.8125rem] whitespace-pre-wrap break-words">
      {text.split(/( )/).map((word, index) =>
        word.startsWith('-') ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the words of a line never move
          <span key={index} className="whitespace-nowrap">
            {word}
          </span>
        ) : (
          word
        ),
      )}
    </code>
    <CopyButton text={text} {...(label !== undefined && { label })} />
  </div>
)
