//! Identities that all replicas share through Redis. Redis is no authority: each entry is sealed under a key of the api
//! and bound to its credential, so what another program writes, changes or moves there counts as missing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use secrecy::{ExposeSecret, SecretSlice};
use shared::seal::{self, SealError, SealKey, Sealed};

use super::Identity;
use crate::cache::Cache;
use crate::metrics;

#[derive(Clone)]
pub struct KeptIdentities {
    cache: Cache,
    /// The first one seals, all of them open. Without a key, the replicas share no identity.
    keys: Arc<[SealKey]>,
    warned: Arc<AtomicBool>,
}

impl KeptIdentities {
    pub fn new(cache: Cache, keys: Vec<SealKey>) -> Self {
        Self { cache, keys: keys.into(), warned: Arc::default() }
    }

    /// The identity that a replica has stored for the credential with this SHA-256. It may be too old to be believed.
    pub async fn find(&self, credential: &[u8; 32]) -> Option<Identity> {
        if self.keys.is_empty() {
            return None;
        }
        let entry = self.cache.identity(credential).await?;
        match self.open(credential, &entry) {
            // An entry of another version of this program may lack a field.
            Ok(opened) => serde_json::from_slice(opened.expose_secret()).ok(),
            Err(_) => {
                metrics::refused_identity();
                // The error would repeat a part of an entry that another program may have written.
                if !self.warned.swap(true, Ordering::Relaxed) {
                    tracing::warn!(
                        "an identity in Redis was not sealed by this installation for its credential; such entries \
                         count as missing, and only the metric counts further ones"
                    );
                }
                None
            }
        }
    }

    /// Stores an identity for all replicas.
    pub async fn store(&self, credential: &[u8; 32], identity: &Identity, lifetime: Duration) {
        let Some(key) = self.keys.first() else { return };
        let Ok(plain) = serde_json::to_vec(identity) else { return };
        let Ok(Sealed { key_id, bytes }) = key.seal(&place(credential), &plain) else { return };
        let entry = [key_id.as_bytes(), &[DELIMITER], &bytes].concat();
        self.cache.keep_identity(credential, &entry, lifetime).await;
    }

    fn open(&self, credential: &[u8; 32], entry: &[u8]) -> Result<SecretSlice<u8>, SealError> {
        let mut parts = entry.splitn(2, |byte| *byte == DELIMITER);
        let (Some(key_id), Some(bytes)) = (parts.next(), parts.next()) else {
            return Err(SealError::Damaged);
        };
        let key_id = String::from_utf8(key_id.to_vec()).map_err(|_| SealError::Damaged)?;
        seal::open(&self.keys, &place(credential), &Sealed { key_id, bytes: bytes.to_vec() })
    }
}

/// Stands between the key's id and the sealed bytes.
const DELIMITER: u8 = b' ';

/// The place to which an identity is bound.
fn place(credential: &[u8; 32]) -> String {
    format!("identity {}", hex::encode(credential))
}
