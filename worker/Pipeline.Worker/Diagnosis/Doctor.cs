using Pipeline.Configuration;

namespace Pipeline.Worker.Diagnosis;

/// <summary>
/// Looks for risky settings of a configuration and for what of the machine endangers it. Changes nothing and connects
/// to nothing.
/// </summary>
/// <param name="configuration">The configuration.</param>
/// <param name="machine">The machine that it is to run on.</param>
/// <param name="now">The time.</param>
internal sealed class Doctor(PipelineConfiguration configuration, IMachine machine, DateTimeOffset now)
{
    private const UnixFileMode OfOthers =
        UnixFileMode.GroupRead
        | UnixFileMode.GroupWrite
        | UnixFileMode.GroupExecute
        | UnixFileMode.OtherRead
        | UnixFileMode.OtherWrite
        | UnixFileMode.OtherExecute;

    /// <summary>
    /// The least open files: a store takes about four, and a database with its indexes has several stores.
    /// </summary>
    public const long LeastOpenFiles = 16_384;

    /// <summary>
    /// The least mappings (<c>vm.max_map_count</c>): a store takes about ten, and more while long readers hold pages.
    /// </summary>
    public const long LeastMappings = 65_530;

    private readonly List<DoctorFinding> _found = [];

    /// <summary>All findings, in the order of the sections of the file, then those of the machine.</summary>
    public IReadOnlyList<DoctorFinding> Look()
    {
        LookAtServer();
        LookAtScripts();
        LookAtEncryption();
        LookAtRetention();
        LookAtBackups();
        LookAtFiles();
        LookAtMachine();
        return _found;
    }

    private void LookAtServer()
    {
        var server = configuration.Server;
        if (server.Url.Scheme == Uri.UriSchemeHttp && !server.Url.IsLoopback)
        {
            Add(
                "tls",
                "server.url",
                "Documents and queries cross the network in the clear.",
                "use https:// with server.certificate, or listen on 127.0.0.1 behind a proxy with TLS"
            );
        }

        if (server.Clients.Count == 0 && !server.Url.IsLoopback)
        {
            Add(
                "open",
                server.AllowInsecure ? "server.allowInsecure" : "server.url",
                "Anyone who can reach the port can read, change and delete everything.",
                "name the clients by their certificates (server.clients)"
            );
        }

        if (server.Clients.Count == 0 && server.Url.IsLoopback && server.CreatesDatabases)
        {
            Add(
                "local",
                "server.url",
                "Every user of this machine may read, change and delete everything.",
                "name the clients (server.clients) if other people use the machine"
            );
        }
    }

    // A setting that is not in this version cannot be in a file that loads, so nothing is found then.
    private void LookAtScripts()
    {
        if (configuration.TextOf("scripts.csharp") == "databaseAdmin")
        {
            Add(
                "csharp",
                "scripts.csharp",
                "C# is trusted code: an admin of one database can run any program as the worker.",
                "remove it, so that only admins of the server may send C#"
            );
        }
    }

    private void LookAtEncryption()
    {
        if (configuration.Database.Encryption is { } encryption)
        {
            if (encryption.KeyFile is { } file)
                LookAtKey("database.encryption.keyFile", file, configuration.Database.Path, "data");
            if (machine.HasSwap == true)
            {
                Add(
                    "swap",
                    "swap",
                    "Decrypted pages and keys may be written to the disk in the clear.",
                    "turn swap off, or encrypt it"
                );
            }

            if (machine.Limit("Max core file size") > 0 || machine.Variable("DOTNET_DbgEnableMiniDump") == "1")
            {
                Add(
                    "coreDumps",
                    "core dumps",
                    "A dump of the process holds decrypted pages and keys.",
                    "set 'ulimit -c 0' (LimitCORE=0) and do not set DOTNET_DbgEnableMiniDump"
                );
            }
        }
        for (var i = 0; i < configuration.Backups.Count; i++)
        {
            var backup = configuration.Backups[i];
            foreach (var folder in backup.To.Select(t => t.Folder).OfType<string>())
            {
                if (backup.Encryption?.KeyFile is { } key)
                    LookAtKey($"backups[{i}].encryption.keyFile", key, folder, "backups");
            }

            if (backup.Plain && configuration.Database.Encryption is not null)
            {
                Add(
                    "plainBackup",
                    $"backups[{i}].plain",
                    "Everyone who can reach the backups can read the encrypted database.",
                    "name a key under encryption"
                );
            }
        }
    }

    private void LookAtKey(string setting, string file, string folder, string what)
    {
        if (IsWithin(file, folder))
        {
            Add(
                "keyBesideData",
                setting,
                $"A copy of the {what} contains the key.",
                "keep the key elsewhere: a secret store, another disk, or keyVariable"
            );
        }

        if (machine.ModeOf(file) is { } mode && (mode & OfOthers) != 0)
            Add("keyMode", setting, $"Other users of the machine may use '{file}'.", $"chmod 600 '{file}'");
    }

    private void LookAtRetention()
    {
        if (configuration.Database.Revisions is not { } revisions)
            return;
        if (revisions.Default is { Enabled: true, Keep: null, Age: null })
        {
            Add(
                "retention",
                "database.revisions.default",
                "All versions of all documents are kept forever, so the disk fills.",
                "set keep or age"
            );
        }

        foreach (
            var (name, policy) in revisions.Collections.Where(c => c.Value is { Enabled: true, Keep: null, Age: null })
        )
        {
            Add(
                "retention",
                $"database.revisions.collections.{name}",
                "All versions of its documents are kept forever, so the disk fills.",
                "set keep or age"
            );
        }
    }

    private void LookAtBackups()
    {
        if (configuration.Backups.Count == 0)
        {
            Add(
                "noBackup",
                "backups",
                "There is no copy if this disk fails.",
                "add backups: [{ name: …, to: { … }, full: '0 0 3 * * ?' }]"
            );
        }

        for (var i = 0; i < configuration.Backups.Count; i++)
        {
            var (backup, place) = (configuration.Backups[i], $"backups[{i}]");
            if (backup.Full is null)
            {
                Add(
                    "unscheduledBackup",
                    place,
                    $"Backup '{backup.Name}' has no schedule.",
                    "set full, and incremental if the time between is too long"
                );
            }

            if (backup.Drill is null)
            {
                Add(
                    "noDrill",
                    place,
                    $"Nobody knows whether backup '{backup.Name}' can be restored.",
                    "set drill, such as '0 0 5 ? * MON'"
                );
            }

            if (backup.Retention is { Keep: null, Daily: 0, Weekly: 0, Monthly: 0, Yearly: 0 })
            {
                Add(
                    "backupRetention",
                    $"{place}.retention",
                    $"All backups of '{backup.Name}' are kept forever, so the destination fills.",
                    "set keep, daily, weekly, monthly or yearly"
                );
            }

            var folders = backup.To.Select(t => t.Folder).ToList();
            if (
                folders.Count > 0
                && folders.All(f =>
                    f is not null
                    && machine.MountOf(f) is { } mount
                    && mount == machine.MountOf(configuration.Database.Path)
                )
            )
            {
                Add(
                    "sameDisk",
                    $"{place}.to",
                    $"Backup '{backup.Name}' is on the disk of the data and is lost with it.",
                    "name a destination on another machine"
                );
            }
        }
    }

    private void LookAtFiles()
    {
        var data = configuration.Database.Path;
        foreach (var path in (string[])[data, .. machine.List(data)])
        {
            if (machine.ModeOf(path) is not { } mode || (mode & OfOthers) == 0)
                continue;
            Add("modes", "database.path", $"Other users of the machine may use '{path}'.", $"chmod -R go= '{data}'");
            break;
        }
        if (
            machine.ModeOf(configuration.File) is { } own
            && (own & (UnixFileMode.GroupWrite | UnixFileMode.OtherWrite)) != 0
        )
        {
            Add(
                "fileMode",
                configuration.File,
                "Others may change the configuration, whose transforms are code.",
                $"chmod go-w '{configuration.File}'"
            );
        }

        if (machine.WrittenAt(Path.Combine(data, "pipeline.data")) > now + TimeSpan.FromMinutes(1))
        {
            Add(
                "clock",
                "the clock",
                "The data is newer than the current time, so the clock went back: expirations and schedules are wrong.",
                "synchronize the clock (NTP)"
            );
        }
    }

    private void LookAtMachine()
    {
        if (machine.Limit("Max open files") < LeastOpenFiles)
        {
            Add(
                "openFiles",
                "open files",
                $"The process may open {machine.Limit("Max open files")} files; many databases or clients need more.",
                $"ulimit -n {LeastOpenFiles} or more (LimitNOFILE)"
            );
        }

        if (machine.Kernel("vm/max_map_count") < LeastMappings)
        {
            Add(
                "mappings",
                "vm.max_map_count",
                $"The kernel allows {machine.Kernel("vm/max_map_count")} mappings; many databases need more.",
                $"sysctl -w vm.max_map_count={LeastMappings} or more"
            );
        }
    }

    private static bool IsWithin(string file, string folder) =>
        Path.GetRelativePath(folder, file) is var relative
        && relative != ".."
        && !relative.StartsWith(".." + Path.DirectorySeparatorChar, StringComparison.Ordinal)
        && !Path.IsPathRooted(relative);

    private void Add(string check, string setting, string risk, string suggestion)
    {
        var place = configuration.Locate(setting) is var (line, column)
            ? FormattableString.Invariant($"{configuration.File}:{line}:{column}: {setting}")
            : setting;
        _found.Add(new DoctorFinding(check, place, risk, suggestion));
    }
}
