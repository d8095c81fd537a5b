// Reads what courses cost from the storefront: once for all slots of a page, without credentials.
import { useEffect, useState } from 'react';
import { getConfig } from '@edx/frontend-platform';

/** Most courses of one request. */
const MOST = 50;
/** How long an answer is used, in milliseconds: a country's prices and the places that are left change. */
const USED_FOR = 60_000;
const PATIENCE = 10_000;

/** Answers by course, as promises. */
const asked = new Map();
/** Courses of this turn, which one request asks for. */
let waiting = [];

/** A page of the storefront; null if the operator has named no storefront. */
export function storefrontUrl(path, query) {
  try {
    const url = new URL(path, getConfig().STOREFRONT_URL);
    query.forEach(([name, value]) => url.searchParams.append(name, value));
    return ['http:', 'https:'].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** The page for buying a course or program in a mode. */
export const buyUrl = (item, id, mode) => storefrontUrl('/storeapi/payment/buy/', [[item, id], ['mode', mode]]);

async function read(keys) {
  const url = storefrontUrl('/storeapi/discovery/offers/', keys.map((key) => ['course', key]));
  if (url === null) { return []; }
  const answer = await fetch(url, { credentials: 'omit', referrerPolicy: 'no-referrer', signal: AbortSignal.timeout(PATIENCE) });
  if (!answer.ok) { throw new Error(`the storefront answered ${answer.status}`); }
  return (await answer.json()).offers;
}

function send() {
  const batch = waiting;
  waiting = [];
  for (let start = 0; start < batch.length; start += MOST) {
    const part = batch.slice(start, start + MOST);
    read(part.map(({ key }) => key)).then(
      (offers) => part.forEach(({ key, done }) => done(offers.find((offer) => offer.openedx_course_id === key) ?? null)),
      // The page shows what it shows without a storefront, and asks again when it is opened again.
      () => part.forEach(({ key, done }) => { asked.delete(key); done(null); }),
    );
  }
}

/** A course's offer; null if the storefront has none, or does not answer. */
function offerOf(key) {
  const known = asked.get(key);
  if (known && Date.now() - known.at < USED_FOR) { return known.offer; }
  if (waiting.length === 0) { setTimeout(send); }
  const offer = new Promise((done) => { waiting.push({ key, done }); });
  asked.set(key, { at: Date.now(), offer });
  return offer;
}

/** A course's offer; null before it is known, too. */
export function useOffer(key) {
  const [found, setFound] = useState({});
  useEffect(() => {
    if (!key) { return undefined; }
    let isShown = true;
    offerOf(key).then((offer) => isShown && setFound({ key, offer }));
    return () => { isShown = false; };
  }, [key]);
  return found.key === key ? found.offer ?? null : null;
}
