/** An ext4 disk in a file; a copy of the file is the disk after a power cut. */

import { cpSync, mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mount, run, umount } from "./mounts.ts";
import { newFolder } from "./places.ts";

export class Disk {
  readonly root: string;
  readonly #folder: string;
  readonly #image: string;
  #cuts = 0;

  /** `commit=300` stops the file system from flushing by itself during the test. */
  constructor(megabytes: number, options = "loop,commit=300") {
    this.#folder = newFolder("disk");
    this.#image = join(this.#folder, "disk.img");
    this.root = join(this.#folder, "root");
    mkdirSync(this.root);
    writeFileSync(this.#image, "");
    truncateSync(this.#image, megabytes * 2 ** 20);
    run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", this.#image);
    mount(["-o", options, this.#image], this.root);
  }

  /** Calls `act` with the disk's root as a machine would find it after a power cut. */
  async cut<T>(act: (root: string) => Promise<T>): Promise<T> {
    const image = join(this.#folder, `cut-${++this.#cuts}.img`);
    const root = join(this.#folder, `cut-${this.#cuts}`);
    run("cp", "--reflink=never", "--sparse=always", this.#image, image);
    mkdirSync(root);
    mount(["-o", "loop", image], root);
    try {
      return await act(root);
    } finally {
      umount(root);
      rmSync(image);
      rmSync(root, { recursive: true });
    }
  }

  /** Copies files to the disk and syncs them, before the test begins. */
  put(from: string, to: string): void {
    cpSync(from, join(this.root, to), { recursive: true });
    run("sync", "-f", this.root);
  }

  remove(): void {
    umount(this.root);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A small file system in memory that can be filled up. */
export class SmallDisk {
  readonly root: string;

  constructor(megabytes: number) {
    this.root = newFolder("small");
    mount(["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs"], this.root);
  }

  remove(): void {
    umount(this.root);
  }
}
