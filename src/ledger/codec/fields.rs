//! The keys of one JSON object, taken out one by one, with everything wrong said.

use serde_json::{Map, Value};

use super::parse::Fault;
use crate::model::text::Foreign;

pub(super) fn string(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

pub(super) fn bytes(value: Value) -> Option<Vec<u8>> {
    match value {
        Value::String(text) => Some(text.into_bytes()),
        Value::Object(map) if map.len() == 1 => {
            let hex = map.get("hex")?.as_str()?;
            let digits: Option<Vec<u8>> = hex
                .chars()
                .map(|digit| u8::try_from(digit.to_digit(16)?).ok())
                .collect();
            let digits = digits.filter(|d| d.len() % 2 == 0)?;
            Some(
                digits
                    .chunks(2)
                    .map(|pair| pair.iter().fold(0, |sum, digit| sum * 16 + digit))
                    .collect(),
            )
        }
        _ => None,
    }
}

/// The keys of one object, taken out one by one; what is left at the end is unknown.
pub(super) struct Fields<'a> {
    pub(super) map: Map<String, Value>,
    pub(super) place: String,
    pub(super) faults: &'a mut Vec<Fault>,
}

impl Fields<'_> {
    pub(super) fn name(&self, key: &str) -> String {
        let name = format!("{}{key}", self.place);
        name.trim_end_matches('.').to_owned()
    }

    pub(super) fn bad(&mut self, key: &str) {
        let name = self.name(key);
        self.faults.push(Fault::BadValue(name));
    }

    pub(super) fn take(&mut self, key: &str, needed: bool) -> Option<Value> {
        let value = self.map.shift_remove(key);
        if value.is_none() && needed {
            let name = self.name(key);
            self.faults.push(Fault::MissingField(name));
        }
        value
    }

    pub(super) fn with<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.take(key, true)?;
        let read = read(value);
        if read.is_none() {
            self.bad(key);
        }
        read
    }

    /// A key that may be absent; present and wrong is a fault.
    pub(super) fn maybe<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.take(key, false)?;
        let read = read(value);
        if read.is_none() {
            self.bad(key);
        }
        read
    }

    /// A key that is there and may be null: the outer `None` is a fault.
    pub(super) fn optional<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(Value) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.take(key, true)? {
            Value::Null => Some(None),
            value => {
                let read = read(value);
                if read.is_none() {
                    self.bad(key);
                }
                read.map(Some)
            }
        }
    }

    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        self.with(key, string)
    }

    pub(super) fn foreign(&mut self, key: &str) -> Option<Foreign> {
        self.with(key, |value| bytes(value).map(Foreign::new))
    }

    pub(super) fn number(&mut self, key: &str) -> Option<u64> {
        self.with(key, |value| value.as_u64())
    }

    pub(super) fn flag(&mut self, key: &str) -> Option<bool> {
        self.with(key, |value| value.as_bool())
    }

    pub(super) fn parsed<T>(&mut self, key: &str, parse: fn(&str) -> Option<T>) -> Option<T> {
        self.with(key, |value| parse(value.as_str()?))
    }

    pub(super) fn word<T: Copy>(
        &mut self,
        key: &str,
        all: &[T],
        word: fn(T) -> &'static str,
    ) -> Option<T> {
        self.with(key, |value| {
            let given = value.as_str()?;
            all.iter().copied().find(|one| word(*one) == given)
        })
    }

    pub(super) fn list<T>(
        &mut self,
        key: &str,
        needed: bool,
        read: impl FnMut(Value) -> Option<T>,
    ) -> Option<Vec<T>> {
        let value = self.take(key, needed)?;
        let read = match value {
            Value::Array(items) => items.into_iter().map(read).collect::<Option<Vec<T>>>(),
            _ => None,
        };
        if read.is_none() {
            self.bad(key);
        }
        read
    }

    pub(super) fn object<T>(
        &mut self,
        key: &str,
        read: fn(&mut Fields<'_>) -> Option<T>,
    ) -> Option<T> {
        let value = self.take(key, true)?;
        self.within(key, value, read)
    }

    pub(super) fn optional_object<T>(
        &mut self,
        key: &str,
        read: fn(&mut Fields<'_>) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.take(key, true)? {
            Value::Null => Some(None),
            value => self.within(key, value, read).map(Some),
        }
    }

    pub(super) fn within<T>(
        &mut self,
        key: &str,
        value: Value,
        read: fn(&mut Fields<'_>) -> Option<T>,
    ) -> Option<T> {
        let Value::Object(map) = value else {
            self.bad(key);
            return None;
        };
        let mut inner = Fields {
            map,
            place: format!("{}{key}.", self.place),
            faults: &mut *self.faults,
        };
        let read = read(&mut inner);
        if read.is_some() {
            inner.end();
        }
        read
    }

    pub(super) fn end(&mut self) {
        for key in std::mem::take(&mut self.map)
            .into_iter()
            .map(|(key, _)| key)
        {
            let name = self.name(&key);
            self.faults.push(Fault::UnknownField(name));
        }
    }
}
