using System.Text;
using Pipeline.Backups;
using Pipeline.Backups.Destinations;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Restoring;
using Pipeline.Backups.Running;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Storage;

namespace Pipeline.EtlKit.Backups;

/// <summary>A database and a folder of backups, removed at the end.</summary>
public sealed class BackupFixture : IAsyncDisposable
{
    private readonly TimeProvider _time;

    public BackupFixture(
        StorageOptions? storage = null,
        Func<BackupDefinition, BackupDefinition>? with = null,
        TimeProvider? time = null
    )
    {
        _time = time ?? TimeProvider.System;
        Storage = storage ?? new StorageOptions();
        Definition = new BackupDefinition
        {
            Name = "nightly",
            Destinations = [new FolderDefinition(this["bak"])],
            Parallel = 2,
        };
        Definition = with?.Invoke(Definition) ?? Definition;
        Database = Open();
    }

    public string Root { get; } = Directory.CreateTempSubdirectory("pipeline-backup-").FullName;

    public string this[string name] => Path.Combine(Root, name);

    public StorageOptions Storage { get; }

    public BackupDefinition Definition { get; set; }

    public BackupRunnerOptions Options { get; set; } = new() { RetryDelay = TimeSpan.Zero };

    public DocumentDatabase Database { get; private set; }

    public DocumentDatabase Open(string folder = "data", StorageOptions? storage = null) =>
        DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "shop",
                Path = this[folder],
                TimeProvider = _time,
                Storage = storage ?? Storage,
                TombstonePurgeInterval = Timeout.InfiniteTimeSpan,
                Indexing = new IndexingOptions { Enabled = false },
            }
        );

    public async Task ReopenAsync()
    {
        await Database.DisposeAsync();
        Database = Open();
    }

    public async Task<BackupReport> RunAsync(BackupKind? kind = null)
    {
        await using var runner = new BackupRunner(Definition, Database, Options);
        return await runner.RunAsync(kind);
    }

    public async Task<BackupManifest> BackUpAsync(BackupKind? kind = null)
    {
        var report = await RunAsync(kind);
        foreach (var destination in report.Destinations)
        {
            if (destination.Error is not null)
                throw destination.Error;
        }

        return report.Destinations[0].Backup!;
    }

    public async Task<BackupRepository> RepositoryAsync(int destination = 0)
    {
        var opened = await RepositoryAccess.OpenAsync(
            Definition with
            {
                Destinations = [Definition.Destinations[destination]],
            },
            Options,
            create: false,
            default
        );
        return opened[0].Repository
            ?? throw opened[0].Error ?? new InvalidOperationException("There is no repository.");
    }

    public async Task<RestoreReport> RestoreAsync(
        string folder,
        RestorePoint? point = null,
        StorageOptions? storage = null
    )
    {
        await using var repository = await RepositoryAsync();
        return await new BackupRestorer(repository).RestoreAsync(
            point ?? new RestorePoint(),
            (storage ?? new StorageOptions()) with
            {
                Path = this[folder],
            }
        );
    }

    public Task PutAsync(string id, string text) =>
        Database.PutAsync(
            id,
            Encoding.UTF8.GetBytes($$$"""{"Text":"{{{text}}}","@metadata":{"@collection":"Things"}}""")
        );

    /// <summary>All that a database holds: every tree, key by key.</summary>
    public static string Fingerprint(DocumentDatabase database)
    {
        using var reader = database.Storage.BeginRead();
        return Fingerprint(reader);
    }

    /// <inheritdoc cref="Fingerprint(DocumentDatabase)"/>
    public static string Fingerprint(ReadTransaction reader)
    {
        using var hash = System.Security.Cryptography.IncrementalHash.CreateHash(
            System.Security.Cryptography.HashAlgorithmName.SHA256
        );
        foreach (var name in reader.TreeNames())
        {
            hash.AppendData(Encoding.UTF8.GetBytes($"[{name}]"));
            using var cursor = reader.OpenTree(name).OpenCursor();
            for (var more = cursor.SeekFirst(); more; more = cursor.MoveNext())
            {
                // A restored database has one lineage more.
                if (name == "meta" && cursor.Key.SequenceEqual("lineages"u8))
                    continue;
                hash.AppendData(BitConverter.GetBytes(cursor.Key.Length));
                hash.AppendData(cursor.Key);
                hash.AppendData(BitConverter.GetBytes(cursor.Value.Length));
                hash.AppendData(cursor.Value);
            }
        }
        return Convert.ToHexString(hash.GetHashAndReset());
    }

    public async ValueTask DisposeAsync()
    {
        await Database.DisposeAsync();
        Directory.Delete(Root, recursive: true);
    }
}
