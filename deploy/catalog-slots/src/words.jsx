// Texts, amounts and percentages in the language of the page. Values are React's text, never HTML.
import React from 'react';
import { useIntl } from '@edx/frontend-platform/i18n';
import messages from './messages.json';

/** The messages of a language, such as `pt-br` or `es-419`; English ones where there are none. */
function messagesOf(locale) {
  const tag = locale.toLowerCase();
  const [language] = tag.split('-');
  const near = Object.keys(messages).find((known) => known.split('-')[0] === language);
  return messages[tag] ?? messages[language] ?? messages[near] ?? messages.en;
}

/** A message, in which a value stands isolated for each `{ $name }`. */
export function Words({ id, ...values }) {
  const text = messagesOf(useIntl().locale)[id];
  const parts = text.split(/\{ \$([a-z]+) \}/);
  return parts.map((part, at) => (at % 2 ? <bdi key={part}>{values[part]}</bdi> : part));
}

function Amount({ value, currency }) {
  const { locale } = useIntl();
  return <bdi>{new Intl.NumberFormat(locale, { style: 'currency', currency }).format(value)}</bdi>;
}

function TaxNote({ tax, percent }) {
  const { locale } = useIntl();
  if (tax === 'excluded') { return <Words id="tax-excluded" />; }
  if (percent === null) { return <Words id="tax-included" />; }
  const rate = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 3 }).format(percent / 100);
  return <Words id="tax-rate" rate={rate} />;
}

/** A price with its tax; beside it the price before the discount, which a screen reader names. */
export function Price({ of: offer }) {
  const isReduced = offer.price < offer.original_price;
  return (
    <span className="storefront-price">
      {isReduced && (
        <>
          <span className="sr-only"><Words id="price-before" />{' '}</span>
          <del className="font-weight-normal"><Amount value={offer.original_price} currency={offer.currency} /></del>{' '}
          <span className="sr-only"><Words id="price-now" />{' '}</span>
        </>
      )}
      <strong><Amount value={offer.price} currency={offer.currency} /></strong>
      {offer.tax !== 'none' && (
        <>{' '}<small className="font-weight-normal"><TaxNote tax={offer.tax} percent={offer.tax_pct} /></small></>
      )}
    </span>
  );
}
