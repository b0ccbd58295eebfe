//! Tells the tests which outside tools are missing, so that a test that needs one is listed as
//! ignored with the reason instead of passing without having run.

use std::path::PathBuf;

/// Tools that some tests need; each missing one sets `no_<name>`.
const TOOLS: &[&str] = &[
    "git",
    "bash",
    "tmux",
    "setpriv",
    "ssh-keygen",
    "bwrap",
    "strace",
    "sshd",
    "gh",
];

/// A library that plays a hardware key in OpenSSH's own tests (Debian: openssh-tests).
const HARDWARE_KEY: &str = "/usr/lib/openssh/regress/misc/sk-dummy/sk-dummy.so";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PATH");
    let mut folders: Vec<PathBuf> = std::env::var_os("PATH")
        .map(|path| std::env::split_paths(&path).collect())
        .unwrap_or_default();
    // A package keeps the old times of its files; the folder shows that it came.
    println!("cargo::rerun-if-changed=/usr/lib/openssh");
    println!("cargo::rustc-check-cfg=cfg(no_hardware_key)");
    if !std::path::Path::new(HARDWARE_KEY).is_file() {
        println!("cargo::rustc-cfg=no_hardware_key");
    }
    // Servers lie where an ordinary PATH does not lead.
    folders.push("/usr/sbin".into());
    for tool in TOOLS {
        let name = tool.replace('-', "_");
        println!("cargo::rustc-check-cfg=cfg(no_{name})");
        if !folders.iter().any(|folder| folder.join(tool).is_file()) {
            println!("cargo::rustc-cfg=no_{name}");
        }
    }
}
