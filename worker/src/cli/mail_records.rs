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
                return Ok("has no MX record, and its address stands in (RFC 5321, 5.1)".to_owned());
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
mod tests {
    use hickory_resolver::proto::op::{Message, MessageType, ResponseCode};
    use hickory_resolver::proto::rr::rdata::{A, MX, TXT};
    use hickory_resolver::proto::rr::{Name, Record};
    use tokio::net::UdpSocket;

    use super::*;

    /// A server that knows these records: `NAME TYPE DATA`, one a line.
    async fn server(zone: &str) -> SocketAddr {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let records: Vec<Record> = zone.lines().filter(|line| !line.trim().is_empty()).map(record).collect();
        tokio::spawn(async move {
            let mut buffer = [0; 1500];
            loop {
                let (length, caller) = socket.recv_from(&mut buffer).await.unwrap();
                let mut answer = Message::from_vec(buffer.get(..length).unwrap()).unwrap();
                let query = answer.queries.first().unwrap().clone();
                let of_name: Vec<&Record> =
                    records.iter().filter(|record| record.name == *query.name()).collect();
                answer.metadata.message_type = MessageType::Response;
                answer.metadata.response_code = match of_name.is_empty() {
                    true if query.name().to_ascii().starts_with("broken") => ResponseCode::ServFail,
                    true => ResponseCode::NXDomain,
                    false => ResponseCode::NoError,
                };
                answer.add_answers(
                    of_name.into_iter().filter(|record| record.record_type() == query.query_type()).cloned(),
                );
                socket.send_to(&answer.to_vec().unwrap(), caller).await.unwrap();
            }
        });
        address
    }

    fn record(line: &str) -> Record {
        let [name, kind, data] = line.trim().splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
        let name_of = |name: &str| Name::from_ascii(format!("{}.", name.trim_end_matches('.'))).unwrap();
        let data = match kind {
            "A" => RData::A(A(data.parse().unwrap())),
            "MX" => RData::MX(MX::new(10, name_of(data))),
            // A record of more than 255 bytes has several strings, which count as one.
            "TXT" => RData::TXT(TXT::new(data.split('|').map(str::to_owned).collect())),
            _ => panic!("{kind}"),
        };
        Record::from_rdata(name_of(name), 60, data)
    }

    async fn found(zone: &str, envelope: Option<&str>, selectors: &[&str]) -> String {
        let dns = Dns::new(Some(server(zone).await)).unwrap();
        let selectors: Vec<String> = selectors.iter().map(|&name| name.to_owned()).collect();
        let line = |(name, finding): (String, Finding)| match finding {
            Ok(detail) => format!("{name}: {detail}\n"),
            Err(fault) => format!("! {name}: {fault}\n"),
        };
        dns.records("news.eu.shop.io", envelope, &selectors).await.into_iter().map(line).collect()
    }

    #[tokio::test]
    async fn a_domain_with_all_records_is_well() {
        let zone = "
            news.eu.shop.io MX mx.shop.io
            news.eu.shop.io TXT google-site-verification=x
            news.eu.shop.io TXT v=spf1 include:_spf.|mailer.io. -all
            _spf.mailer.io TXT v=spf1 ip4:192.0.2.0/24 ~all
            s1._domainkey.shop.io TXT v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
            _dmarc.shop.io TXT v=DMARC1; p=reject; sp = none";
        assert_eq!(
            found(zone, Some("news.eu.shop.io"), &["s1"]).await,
            "return path at news.eu.shop.io: has a mail server\n\
             SPF of news.eu.shop.io: v=spf1 include:_spf.mailer.io. -all\n\
             DKIM key s1 of news.eu.shop.io: is there, at shop.io, for ed25519\n\
             DMARC of news.eu.shop.io: p=none, by _dmarc.shop.io\n"
        );
        // A service with a return path of its own has its SPF record there.
        assert_eq!(
            found("_dmarc.news.eu.shop.io TXT v=DMARC1", None, &[]).await,
            "DKIM of news.eu.shop.io: not checked: name the keys of the mail server with --dkim-selectors\n\
             DMARC of news.eu.shop.io: p=none, by _dmarc.news.eu.shop.io\n"
        );
    }

    /// Policies as RFC 7208 has receivers judge them.
    #[tokio::test]
    async fn what_is_held_against_a_policy_of_servers_is_named() {
        let far =
            (0..=SPF_LOOK_UPS).fold("v=spf1".to_owned(), |policy, at| format!("{policy} a:{at}.shop.io"));
        for (policies, says) in [
            ("", "! SPF: has no record"),
            ("v=spf10 a", "! SPF: has no record"),
            ("v=spf1 a\nV=SPF1 mx", "! SPF: has 2 records"),
            ("v=spf1 mx all", "! SPF: lets every server"),
            ("v=spf1 ip4:192.0.2.1 +ALL", "! SPF: lets every server"),
            ("v=spf1 exp=why.shop.io -all", "! SPF: lets no server"),
            ("v=spf1 -all include:mailer.io", "! SPF: lets no server"),
            ("v=spf1 redirect=mailer.io -all", "! SPF: lets no server"),
            ("v=spf1 -mx include=mailer.io -all", "! SPF: lets no server"),
            ("v=spf1", "! SPF: lets no server"),
            ("v=spf1 ip:192.0.2.1 -all", "! SPF: has an error: ip:192.0.2.1"),
            ("v=spf1 redirect:mailer.io", "! SPF: has an error: redirect:mailer.io"),
            ("v=spf1 mx include -all", "! SPF: has an error: include"),
            ("v=spf1 ip4:192.0.2.300 -all", "! SPF: has an error: ip4:192.0.2.300"),
            ("v=spf1 ip4:192.0.2.0/33 -all", "! SPF: has an error: ip4:192.0.2.0/33"),
            ("v=spf1 ip4:2001:db8::1 -all", "! SPF: has an error: ip4:2001:db8::1"),
            ("v=spf1 mx all:shop.io", "! SPF: has an error: all:shop.io"),
            ("v=spf1 a: -all", "! SPF: has an error: a:"),
            ("v=spf1 redirect=mailer.io redirect=mailer.io", "! SPF: has an error: two redirects"),
            ("v=spf1 include:wrong.io -all", "! SPF: has an error: ip:192.0.2.1 at wrong.io"),
            ("v=spf1 ip6:2001:db8::/32 ip4:192.0.2.1 -all", "SPF: v=spf1 ip6"),
            (
                "v=spf1 include:gone.io ~all",
                "! SPF: has an error: include:gone.io, where there are 0 records",
            ),
            ("v=spf1 redirect=news.eu.shop.io", "! SPF: needs more than 10 DNS look-ups"),
            (&far, "! SPF: needs more than 10 DNS look-ups"),
            ("v=spf1 include:broken.io", "! SPF: not checked: TXT of broken.io: "),
            ("v=spf1 REDIRECT=mailer.io", "SPF: v=spf1 REDIRECT"),
            ("v=spf1 mx redirect=gone.io ~all", "SPF: v=spf1 mx"),
            ("v=spf1 include:%{i}.shop.io -all", "SPF: v=spf1 include"),
            ("v=spf1 a/24 mx:shop.io//64 -all", "SPF: v=spf1 a/24"),
        ] {
            let records: Vec<String> =
                policies.lines().map(|policy| format!("news.eu.shop.io TXT {policy}")).collect();
            let zone = format!(
                "{}\nmailer.io TXT v=spf1 ip4:192.0.2.1 -all\nwrong.io TXT v=spf1 ip:192.0.2.1",
                records.join("\n")
            );
            let found =
                found(&zone, Some("news.eu.shop.io"), &[]).await.replace("SPF of news.eu.shop.io", "SPF");
            assert!(found.lines().any(|line| line.starts_with(says)), "{policies}\n{found}");
        }
    }

    /// Mail servers as RFC 5321 and RFC 7505, keys as RFC 6376, and policies as RFC 9989 has receivers find them.
    #[tokio::test]
    async fn what_is_held_against_other_records_is_named() {
        for (zone, says) in [
            ("", "! return path: has neither"),
            ("news.eu.shop.io A 192.0.2.1", "return path: has no MX record, and its address"),
            ("news.eu.shop.io MX .", "! return path: takes no mail (RFC 7505)"),
            ("", "! DKIM key s1: has no record"),
            ("s1._domainkey.news.eu.shop.io TXT v=DKIM1; p=", "! DKIM key s1: is revoked"),
            ("s1._domainkey.eu.shop.io TXT v=DKIM1; k=rsa", "! DKIM key s1: has no record with a key"),
            (
                "s1._domainkey.eu.shop.io TXT v=spf1 -all\ns1._domainkey.shop.io TXT p=MIGf",
                "DKIM key s1: is there, at shop.io, for rsa",
            ),
            ("mx._domainkey.mg.shop.io TXT k=rsa; p=MIGf", "DKIM key mx@mg.shop.io: is there, at mg.shop.io"),
            ("", "! DMARC: has no record"),
            ("_dmarc.news.eu.shop.io TXT p=none; v=DMARC1", "! DMARC: has no record"),
            (
                "_dmarc.news.eu.shop.io TXT v=DMARC1; p=rejct",
                "! DMARC: _dmarc.news.eu.shop.io has the policy rejct",
            ),
            (
                "_dmarc.news.eu.shop.io TXT v=DMARC1; p=none\n_dmarc.news.eu.shop.io TXT v=DMARC1; p=reject",
                "! DMARC: has 2 records",
            ),
            ("_dmarc.shop.io TXT v=DMARC1;p=Quarantine", "DMARC: p=quarantine, by _dmarc.shop.io"),
            // The organisation's domain is that with the fewest labels, unless a policy says otherwise.
            (
                "_dmarc.eu.shop.io TXT v=DMARC1; p=none\n_dmarc.shop.io TXT v=DMARC1; p=reject",
                "DMARC: p=reject, by _dmarc.shop.io",
            ),
            (
                "_dmarc.eu.shop.io TXT v=DMARC1; p=none; psd=n\n_dmarc.shop.io TXT v=DMARC1; p=reject",
                "DMARC: p=none, by _dmarc.eu.shop.io",
            ),
            (
                "_dmarc.shop.io TXT v=DMARC1; p=none\n_dmarc.io TXT v=DMARC1; p=reject; psd=y",
                "DMARC: p=none, by _dmarc.shop.io",
            ),
            (
                "_dmarc.eu.shop.io TXT v=DMARC1; p=none\n_dmarc.io TXT v=DMARC1; p=reject; psd=y",
                "DMARC: p=reject, by _dmarc.io",
            ),
        ] {
            let found = found(zone, Some("news.eu.shop.io"), &["s1", "mx@mg.shop.io"]).await;
            let found = found.replace(" at news.eu.shop.io: ", ": ").replace(" of news.eu.shop.io", "");
            assert!(found.lines().any(|line| line.starts_with(says)), "{zone}\n{found}");
        }
    }

    #[test]
    fn names_for_tests_have_no_records() {
        for domain in ["localhost.localdomain", "shop.example", "example.org", "mail.example.com", "test"] {
            assert!(is_reserved(domain), "{domain}");
        }
        assert!(!is_reserved("example.io") && !is_reserved("latest"));
    }
}
