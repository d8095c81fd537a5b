//! The DNS records by which receivers tell a domain's mails from forged ones: what `doctor` finds of them.

use std::fmt::Display;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolverConfig};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::{Name, RData, RecordType};
use hickory_resolver::{Resolver, TokioResolver};
use ipnet::{Ipv4Net, Ipv6Net};
use shared::doctor::{Checks, Status};
use tokio::time::timeout;

use crate::mail::Mailer;

#[derive(Args)]
pub(super) struct MailRecordArgs {
    /// DNS server to ask for the records of the mails' domain, such as 9.9.9.9:53; unset: the system's, whose answers inside of a network can
    /// differ from those that receivers get
    #[arg(long)]
    dns_server: Option<SocketAddr>,
    /// Keys with which the mail server signs (DKIM), each a selector, or SELECTOR@DOMAIN of a signature of another domain than MAIL_FROM's
    #[arg(long, value_delimiter = ',')]
    dkim_selectors: Vec<String>,
}

/// Time that all records of a domain may take, and one answer.
const TIMEOUT: Duration = Duration::from_secs(20);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Domains that no mail reaches: of RFC 2606, RFC 6761, and the default of `MAIL_FROM`.
const RESERVED: [&str; 8] =
    ["example", "example.com", "example.net", "example.org", "invalid", "localdomain", "localhost", "test"];

/// DNS look-ups that a receiver makes for one SPF policy, beside the first (RFC 7208, 4.6.4). With more, the policy fails.
const SPF_LOOK_UPS: usize = 10;

/// Labels of the longest parent domain that has a DMARC policy for a domain (RFC 9989, 4.10).
const DMARC_LABELS: usize = 7;

/// What a record says, or what is wrong with it or its server.
type Finding = Result<String, String>;

/// Adds a line for each record of the sender's domain. The worker sends without them, so a fault is a warning.
pub(super) async fn check(checks: &mut Checks, args: &MailRecordArgs, mailer: &Mailer) {
    let (name, author) = ("mail records", mailer.domain());
    if args.dns_server.is_none() && is_reserved(author) {
        return checks.add(
            name,
            Status::Ok,
            format!("not checked: MAIL_FROM is at {author}, a name for tests and private networks"),
        );
    }
    let found = async {
        let dns = Dns::new(args.dns_server).map_err(|error| error.to_string())?;
        Ok(dns.records(author, mailer.envelope_domain(), &args.dkim_selectors).await)
    };
    let late = |_| Err("the DNS server takes too long".to_owned());
    match timeout(TIMEOUT, found).await.unwrap_or_else(late) {
        Ok(found) => {
            for (name, finding) in found {
                match finding {
                    Ok(detail) => checks.add(name, Status::Ok, detail),
                    Err(fault) => {
                        checks.add(
                            name,
                            Status::Warning,
                            format!("{fault} (docs/mails.md, So that they arrive)"),
                        );
                    }
                }
            }
        }
        Err(reason) => checks.add(name, Status::Warning, format!("not checked: {reason}")),
    }
}

fn is_reserved(domain: &str) -> bool {
    parents(domain).any(|parent| RESERVED.contains(&parent))
}

/// The domain and those above it.
fn parents(domain: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(domain), |name| name.split_once('.').map(|(_, parent)| parent))
}

struct Dns(TokioResolver);

impl Dns {
    fn new(server: Option<SocketAddr>) -> Result<Self, NetError> {
        let mut builder = match server {
            None => TokioResolver::builder_tokio()?,
            Some(server) => {
                let mut connections = vec![ConnectionConfig::udp(), ConnectionConfig::tcp()];
                connections.iter_mut().for_each(|connection| connection.port = server.port());
                let servers = vec![NameServerConfig::new(server.ip(), true, connections)];
                Resolver::builder_with_config(
                    ResolverConfig::from_name_servers(servers),
                    TokioRuntimeProvider::default(),
                )
            }
        };
        let options = builder.options_mut();
        (options.timeout, options.attempts) = (ANSWER_TIMEOUT, 1);
        builder.build().map(Self)
    }

    /// Finds what the records say: of the domain in `From`, and of the envelope's; None if the mail service has one of its own there.
    async fn records(
        &self,
        author: &str,
        envelope: Option<&str>,
        selectors: &[String],
    ) -> Vec<(String, Finding)> {
        let mut found = Vec::new();
        if let Some(domain) = envelope {
            found.push((format!("return path at {domain}"), self.exchangers(domain).await));
            found.push((format!("SPF of {domain}"), self.spf(domain).await));
        }
        for selector in selectors {
            found.push((format!("DKIM key {selector} of {author}"), self.dkim(selector, author).await));
        }
        if selectors.is_empty() {
            let how = "not checked: name the keys of the mail server with --dkim-selectors";
            found.push((format!("DKIM of {author}"), Ok(how.to_owned())));
        }
        found.push((format!("DMARC of {author}"), self.dmarc(author).await));
        found
    }

    async fn ask(&self, name: &str, of: RecordType) -> Result<Vec<RData>, String> {
        let not_checked = |error: &dyn Display| format!("not checked: {of} of {name}: {error}");
        // With the dot at the end, the system's search list is not tried.
        let absolute = Name::from_ascii(format!("{}.", name.trim_end_matches('.')));
        match self.0.lookup(absolute.map_err(|error| not_checked(&error))?, of).await {
            Ok(lookup) => Ok(lookup.answers().iter().map(|record| record.data.clone()).collect()),
            Err(error) if error.is_no_records_found() => Ok(Vec::new()),
            Err(error) => Err(not_checked(&error)),
        }
    }

    async fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let text = |data| match data {
            RData::TXT(text) => Some(String::from_utf8_lossy(&text.txt_data.concat()).into_owned()),
            _ => None,
        };
        Ok(self.ask(name, RecordType::TXT).await?.into_iter().filter_map(text).collect())
    }

    /// Checks that mails that come back find a server.
    async fn exchangers(&self, domain: &str) -> Finding {
        let exchangers = self.ask(domain, RecordType::MX).await?;
        let refuses = |data: &RData| matches!(data, RData::MX(mx) if mx.exchange.is_root());
        if exchangers.iter().any(refuses) {
            return Err("takes no mail (RFC 7505): receivers refuse such a sender".to_owned());
        }
        if exchangers.iter().any(|data| matches!(data, RData::MX(_))) {
            return Ok("has a mail server".to_owned());
        }
        for address in [RecordType::A, RecordType::AAAA] {
            if !self.ask(domain, address).await?.is_empty() {
                return Ok("has no MX record, so mail goes to its address (RFC 5321, 5.1)".to_owned());
            }
        }
        Err("has neither an MX record nor an address: receivers refuse such a sender".to_owned())
    }

    /// The domain's policies. All but one are an error (RFC 7208, 4.5).
    async fn spf_policies(&self, domain: &str) -> Result<Vec<String>, String> {
        let mut texts = self.texts(domain).await?;
        texts.retain(|text| words(text).next().is_some_and(|version| version.eq_ignore_ascii_case("v=spf1")));
        Ok(texts)
    }

    async fn spf(&self, domain: &str) -> Finding {
        let policies = self.spf_policies(domain).await?;
        let [policy] = policies.as_slice() else {
            return Err(match policies.len() {
                0 => "has no record: many receivers count its mails as forged".to_owned(),
                count => format!("has {count} records, which is an error: put the terms into one"),
            });
        };
        let terms = Term::evaluated(policy)?;
        if terms.iter().any(|term| term.allows && term.name == "all") {
            return Err(format!("lets every server of the world send: {policy}"));
        }
        if !terms.iter().any(|term| term.allows) {
            return Err(format!("lets no server send: {policy}"));
        }
        self.spf_look_ups(policy).await?;
        Ok(policy.clone())
    }

    /// Follows a policy as far as a receiver may have to.
    async fn spf_look_ups(&self, policy: &str) -> Result<(), String> {
        let (mut look_ups, mut pending) = (0, vec![(String::new(), policy.to_owned())]);
        while let Some((place, policy)) = pending.pop() {
            for term in Term::evaluated(&policy).map_err(|error| format!("{error}{place}"))? {
                if !term.is_look_up() {
                    continue;
                }
                look_ups += 1;
                if look_ups > SPF_LOOK_UPS {
                    return Err(format!("needs more than {SPF_LOOK_UPS} DNS look-ups, which is an error"));
                }
                // What a macro stands for depends on the mail.
                let Some(target) = term.policy().filter(|target| !target.contains('%')) else { continue };
                match self.spf_policies(target).await?.as_slice() {
                    [included] => pending.push((format!(" at {target}"), included.clone())),
                    others => {
                        let (term, count) = (term.text, others.len());
                        return Err(format!("has an error: {term}{place}, where there are {count} records"));
                    }
                }
            }
        }
        Ok(())
    }

    /// Looks for a key at the domain and at those above it, or at the one that is named with the selector.
    async fn dkim(&self, key: &str, author: &str) -> Finding {
        let (selector, domain) = key.split_once('@').unwrap_or((key, author));
        for domain in parents(domain).filter(|domain| domain.contains('.')) {
            let mut keys = self.texts(&format!("{selector}._domainkey.{domain}")).await?;
            // What a wildcard answers is no key.
            keys.retain(|key| tag(key, "p").is_some());
            match keys.as_slice() {
                [] => {}
                [key] if tag(key, "p") == Some("") => {
                    return Err(format!("is revoked at {domain}: its p is empty"));
                }
                [key] => return Ok(format!("is there, at {domain}, for {}", tag(key, "k").unwrap_or("rsa"))),
                keys => {
                    let count = keys.len();
                    return Err(format!("has {count} records at {domain}, of which a receiver takes any"));
                }
            }
        }
        Err(format!("has no record with a key at {domain} or above it: the signature does not count"))
    }

    /// The policies at a domain. Several count as none.
    async fn dmarc_policies(&self, domain: &str) -> Result<Vec<String>, String> {
        let mut texts = self.texts(&format!("_dmarc.{domain}")).await?;
        let is_policy =
            |text: &str| text.split(';').next().is_some_and(|first| tag(first, "v") == Some("DMARC1"));
        texts.retain(|text| is_policy(text));
        Ok(texts)
    }

    /// Finds the policy as a receiver does (RFC 9989, 4.10): the domain's own, or that of the organisation's domain.
    async fn dmarc(&self, author: &str) -> Finding {
        match self.dmarc_policies(author).await?.as_slice() {
            [] => {}
            [own] => return judged(author, tag(own, "p")),
            several => {
                return Err(format!(
                    "has {} records at _dmarc.{author}, of which none counts",
                    several.len()
                ));
            }
        }
        let mut found: Vec<(&str, String)> = Vec::new();
        let above = parents(author).skip(1).filter(|name| name.split('.').count() <= DMARC_LABELS);
        for domain in above {
            if let [policy] = self.dmarc_policies(domain).await?.as_slice() {
                found.push((domain, policy.clone()));
                if tag(policy, "psd").is_some_and(|psd| psd != "u") {
                    break;
                }
            }
        }
        let Some((last, policy)) = found.last() else {
            return Err("has no record: Gmail, Yahoo and Outlook refuse large numbers of mails without one"
                .to_owned());
        };
        // Below a public suffix, such as gov, is an organisation's domain.
        let below = found.iter().rev().nth(1).filter(|(domain, _)| parents(domain).nth(1) == Some(*last));
        let (domain, policy) = match (tag(policy, "psd"), below) {
            (Some("y"), Some((domain, policy))) => (*domain, policy),
            _ => (*last, policy),
        };
        judged(domain, tag(policy, "sp").or(tag(policy, "p")))
    }
}

/// What a DMARC policy asks of receivers; one that says nothing asks for reports alone.
fn judged(domain: &str, policy: Option<&str>) -> Finding {
    let policy = policy.unwrap_or("none").to_ascii_lowercase();
    match policy.as_str() {
        "none" | "quarantine" | "reject" => Ok(format!("p={policy}, by _dmarc.{domain}")),
        _ => Err(format!(
            "_dmarc.{domain} has the policy {policy}, which is none of none, quarantine and reject"
        )),
    }
}

/// A term of an SPF policy (RFC 7208, 4.6.1).
struct Term<'a> {
    text: &'a str,
    /// In small letters.
    name: String,
    is_modifier: bool,
    /// What is behind the name.
    target: Option<&'a str>,
    allows: bool,
}

impl<'a> Term<'a> {
    fn read(text: &'a str) -> Self {
        let bare = text.strip_prefix(['+', '-', '~', '?']).unwrap_or(text);
        let (name, behind) = bare.split_at(bare.find([':', '/', '=']).unwrap_or(bare.len()));
        let target = behind.get(1..).filter(|target| !target.is_empty());
        let allows = !text.starts_with(['-', '~', '?']);
        Self { text, name: name.to_ascii_lowercase(), is_modifier: behind.starts_with('='), target, allows }
    }

    fn is_known(&self) -> bool {
        match self.name.as_str() {
            "redirect" => self.is_modifier && self.target.is_some(),
            _ if self.is_modifier => true,
            "ip4" => self.target.is_some_and(is_network::<Ipv4Net, Ipv4Addr>),
            "ip6" => self.target.is_some_and(is_network::<Ipv6Net, Ipv6Addr>),
            "include" | "exists" => self.target.is_some(),
            "all" => !self.text.contains([':', '/']),
            name => ["a", "mx", "ptr"].contains(&name) && !self.text.ends_with([':', '/']),
        }
    }

    /// The terms that a receiver evaluates: none behind `all`, and a redirection only without it.
    ///
    /// # Errors
    /// An unknown term is an error of the whole policy.
    fn evaluated(policy: &'a str) -> Result<Vec<Self>, String> {
        let terms: Vec<Self> = words(policy).skip(1).map(Self::read).collect();
        if let Some(unknown) = terms.iter().find(|term| !term.is_known()) {
            return Err(format!("has an error: {}", unknown.text));
        }
        if terms.iter().filter(|term| term.name == "redirect").count() > 1 {
            return Err("has an error: two redirects".to_owned());
        }
        let (modifiers, mut mechanisms): (Vec<_>, Vec<_>) =
            terms.into_iter().partition(|term| term.is_modifier);
        match mechanisms.iter().position(|term| term.name == "all") {
            Some(all) => mechanisms.truncate(all + 1),
            None => mechanisms.extend(modifiers.into_iter().filter(|term| term.name == "redirect")),
        }
        Ok(mechanisms)
    }

    fn is_look_up(&self) -> bool {
        ["a", "mx", "ptr", "exists", "include", "redirect"].contains(&self.name.as_str())
    }

    /// The domain whose policy it includes.
    fn policy(&self) -> Option<&'a str> {
        self.target.filter(|_| ["include", "redirect"].contains(&self.name.as_str()))
    }
}

fn is_network<Network: FromStr, Address: FromStr>(text: &str) -> bool {
    Network::from_str(text).is_ok() || Address::from_str(text).is_ok()
}

/// The words of an SPF policy, its version first.
fn words(policy: &str) -> impl Iterator<Item = &str> {
    policy.split(' ').filter(|word| !word.is_empty())
}

/// A tag's value in a DKIM key or a DMARC policy.
fn tag<'a>(record: &'a str, name: &str) -> Option<&'a str> {
    let tags = record.split(';').filter_map(|tag| tag.split_once('='));
    tags.map(|(tag, value)| (tag.trim(), value.trim())).find(|(tag, _)| *tag == name).map(|(_, value)| value)
}

#[cfg(test)]
mod tests;
