import { html, type Raw, raw } from '#contract/html.ts'

/**
 * The frame of every mail: readable without images, scripts or style sheets, in light and dark.
 * Lines stay short, so that a mail of plain ASCII needs no transfer encoding and can be read as a file.
 */
export const mailPage = (title: string, body: Raw): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
</head>
<body style="font:16px/1.5 system-ui,sans-serif;
max-width:34em;margin:2em auto;padding:0 1em">
<h1 style="font-size:1.25em">${title}</h1>
${body}
</body>
</html>
`.text

/** What is read last. Without a color of its own it is as readable in the dark as in the light. */
export const MAIL_SMALL = 'font-size:.85em;opacity:.75'

/** A sentence in which names and commands stand between backticks. */
export const mailText = (text: string): Raw =>
  raw(
    text
      .split('`')
      .map((part, i) => (i % 2 === 0 ? html`${part}` : html`<code>${part}</code>`).text)
      .join(''),
  )

/** The one thing that a mail asks for. The address stands below it, for programs that show no links. */
export const mailButton = (link: string, label: string): Raw =>
  html`<p style="margin:1.5em 0"><a
href="${link}"
style="display:inline-block;padding:.7em 1.3em;border-radius:10px;
background:#2457e6;color:#fff;font-weight:600;text-decoration:none">
${label}</a></p>
<p style="${MAIL_SMALL}">Or open this URL:<br>
${link}</p>`
