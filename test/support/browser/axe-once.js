/** Run in the page after axe, by `axe.ts`: what axe would work out again and again, it works out once. */

/**
 * A page has hundreds of elements and a dozen colours. Axe keeps what each colour means, but as something that works it out
 * again whenever it is asked for red, green or blue, which was a sixth of a look.
 */
{
  const { prototype } = axe.commons.color.Color
  const { parseString } = prototype
  const parsed = new Map()
  prototype.parseString = function (text) {
    if (!parsed.has(text)) {
      const { r, g, b, alpha } = parseString.call(this, text)
      parsed.set(text, { r, g, b, alpha })
    }
    return Object.assign(this, parsed.get(text))
  }
}

/**
 * `lookWithAxe(rules, legible)` answers with what keeps people out. Colours, where they are among the rules, are looked at in
 * both themes, on one tree and one grid of the page; of texts whose appearance is one of `legible` they are known. Appearances
 * that were found to be so are in the answer.
 */
{
  const root = document.documentElement
  const ruleOf = (id) => axe._audit.rules.find((rule) => rule.id === id)
  const contrast = ruleOf('color-contrast')
  let look

  // A target of this size passes unless another lies on it, a smaller one if no other is that near (WCAG 2.5.8), and one that
  // cannot be seen always does. To know what is near, axe makes a grid of the whole page, which is left to the few others.
  const TARGET_PX = 24
  const FOCUSABLE =
    'a, area, audio, button, details, embed, iframe, input, object, select, summary, textarea, video, [contenteditable], [tabindex]'
  const { aria, dom } = axe.commons
  const isTarget = (element) => aria.getRoleType(element) === 'widget' && dom.isVisibleOnScreen(element)
  const targetSize = ruleOf('target-size')
  const isWidget = targetSize.matches
  targetSize.matches = (element, node, context) => {
    if (!isWidget(element, node, context) || !dom.isVisibleOnScreen(element)) return false
    const { left, right, top, bottom, width, height } = element.getBoundingClientRect()
    const around = width < TARGET_PX || height < TARGET_PX ? TARGET_PX : 0
    look.targets ??= [...document.querySelectorAll(FOCUSABLE)]
      .filter(isTarget)
      .map((target) => ({ target, box: target.getBoundingClientRect() }))
    return look.targets.some(
      ({ target, box }) =>
        box.left < right + around &&
        box.right > left - around &&
        box.top < bottom + around &&
        box.bottom > top - around &&
        !target.contains(element),
    )
  }

  /** A whole number of 53 bits, of a text and the number of what was before it. */
  const hash = (text, before) => {
    let low = before >>> 0
    let high = Math.floor(before / 2 ** 32) ^ 0x2545f491
    for (let at = 0; at < text.length; at++) {
      low = Math.imul(low ^ text.charCodeAt(at), 0x9e3779b1)
      high = Math.imul(high ^ text.charCodeAt(at), 0x5f356495)
    }
    low ^= high >>> 15
    high ^= low >>> 13
    return (high & 0x1fffff) * 2 ** 32 + (low >>> 0)
  }

  const ATTRIBUTES = ['class', 'style', 'type', 'disabled', 'aria-disabled', 'data-theme']
  const STYLES = ['color', 'backgroundImage', 'fontSize', 'fontWeight', 'filter', 'textShadow']

  /**
   * All that the colours of a text follow from: what it is within, from the root on. What floats may lie on something else as
   * well, unless it is opaque.
   */
  const appearanceOf = (element) => {
    const known = look.appearances.get(element)
    if (known !== undefined) return known
    const style = getComputedStyle(element)
    const { backgroundColor, opacity, position } = style
    const above = element === root ? { number: 0, floats: false } : appearanceOf(element.parentElement)
    const isOpaque = backgroundColor.startsWith('rgb(') && opacity === '1'
    const appearance = {
      number: hash(
        [
          element.localName,
          ...ATTRIBUTES.map((name) => element.getAttribute(name)),
          ...[backgroundColor, opacity, position],
          ...STYLES.map((name) => style[name]),
        ].join('|'),
        above.number,
      ),
      floats: !isOpaque && (above.floats || ['absolute', 'fixed', 'sticky'].includes(position)),
    }
    look.appearances.set(element, appearance)
    return appearance
  }

  const FIELDS = ['input', 'select', 'textarea']
  const isText = ({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.trim() !== ''
  const hasLegibility = contrast.matches
  contrast.matches = (element, node, context) => {
    look.context = context
    if (!FIELDS.includes(element.localName) && ![...element.childNodes].some(isText)) return false
    const { number, floats } = appearanceOf(element)
    return (floats || !look.legible.has(number)) && hasLegibility(element, node, context)
  }

  const forgetStyles = (nodes) => {
    for (const node of nodes) {
      node._cache = {}
      delete node._stackingContext
      forgetStyles(node.children)
    }
  }

  /** Once more without letting go of the page, so that it is the same one. A theme has colours and nothing else. */
  const inOtherTheme = () => {
    const { theme } = root.dataset
    root.dataset.theme = theme === 'dark' ? 'light' : 'dark'
    forgetStyles(axe._tree)
    for (const memoized of axe._memoizedFns) memoized.clear()
    try {
      return axe.utils.finalizeRuleResult(contrast.runSync(look.context))
    } finally {
      if (theme === undefined) delete root.dataset.theme
      else root.dataset.theme = theme
    }
  }

  const legibleOf = ({ passes }) =>
    passes
      .filter(({ any: [{ data }] }) => data?.contrastRatio !== undefined)
      .map(({ node }) => appearanceOf(node.element).number)

  const report = (results) => {
    const inThis = results.find(({ id }) => id === contrast.id)
    const inOther = inThis && { ...inThis, ...inOtherTheme(), help: `${inThis.help} (in the other theme)` }
    const found = inThis ? [...results, inOther] : results
    const inBoth = inThis ? new Set(legibleOf(inThis)).intersection(new Set(legibleOf(inOther))) : []
    return {
      violations: found.flatMap(({ id, help, violations }) =>
        violations.map(({ node }) => `${id}: ${help} ${node.source.slice(0, 200)}`),
      ),
      legible: [...inBoth],
    }
  }

  globalThis.lookWithAxe = (runOnly, legible) => {
    look = { legible: new Set(legible), appearances: new Map() }
    return axe.run(document, {
      runOnly,
      // A rule that fails to work fails.
      debug: true,
      reporter: (results, _options, respond) => respond(report(results)),
    })
  }
}
