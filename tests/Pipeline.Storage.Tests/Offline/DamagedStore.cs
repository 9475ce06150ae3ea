using System.Text;
using Pipeline.TestKit.Storage;

namespace Pipeline.Storage.Tests.Offline;

/// <summary>A store on a simulated disk, made from a seed, with the model of its content.</summary>
internal sealed class DamagedStore
{
    public const string Folder = SimulatedStore.Folder;

    public SortedDictionary<string, SortedDictionary<string, byte[]>> Model { get; } = new(StringComparer.Ordinal);

    public SimulatedDisk Disk { get; private init; } = new(record: false);

    /// <summary>
    /// The key of encrypted stores. Few decrypted pages are kept, so that walks have to let go of them.
    /// </summary>
    public static StorageEncryption Key { get; } = SimulatedStore.Key with { MaxPlainBytes = 100_000 };

    public static StorageOptions Options(SimulatedDisk disk, bool encrypted = false) =>
        SimulatedStore.Options(disk) with
        {
            Encryption = encrypted ? Key : null,
        };

    /// <summary>Makes a store; unless it is closed, part of its content is only in the journal.</summary>
    public static async Task<DamagedStore> MakeAsync(int seed, bool closed, bool encrypted = false)
    {
        var store = new DamagedStore();
        var random = new Random(seed);
        var environment = StorageEnvironment.Open(Options(store.Disk, encrypted));
        for (var round = 0; round < 60; round++)
        {
            if (round == 50)
                environment.Flush();
            var changes = new List<(string Tree, string Key, byte[]? Value)>();
            for (var i = 0; i < 50; i++)
            {
                var tree = "tree" + random.Next(3);
                var key = $"key/{random.Next(900):d5}/{new string('x', random.Next(60))}";
                var value =
                    random.Next(6) == 0
                        ? null
                        : new byte[random.Next(30) == 0 ? 3000 + random.Next(20000) : random.Next(300)];
                random.NextBytes(value.AsSpan());
                if (value is null && store.Model.TryGetValue(tree, out var known) && known.Count > 0)
                    key = known.Keys.ElementAt(random.Next(known.Count));
                changes.Add((tree, key, value));
                var target = store.Model.TryGetValue(tree, out var t)
                    ? t
                    : store.Model[tree] = new SortedDictionary<string, byte[]>(StringComparer.Ordinal);
                if (value is null)
                    target.Remove(key);
                else
                    target[key] = value;
            }
            await environment.WriteAsync(t =>
            {
                foreach (var (tree, key, value) in changes)
                {
                    if (value is null)
                        t.CreateTree(tree).Delete(Encoding.UTF8.GetBytes(key));
                    else
                        t.CreateTree(tree).Put(Encoding.UTF8.GetBytes(key), value);
                }
            });
        }
        if (closed)
        {
            environment.Dispose();
            return store;
        }
        var crashed = new SimulatedDisk(record: false);
        foreach (var path in store.Disk.Paths)
            crashed.Put(path, store.Disk.Get(path));
        environment.Dispose();
        var left = new DamagedStore { Disk = crashed };
        foreach (var (name, tree) in store.Model)
            left.Model.Add(name, tree);
        return left;
    }

    /// <summary>Copies the disk's bytes to a new disk.</summary>
    public SimulatedDisk Copy()
    {
        var copy = new SimulatedDisk(record: false);
        foreach (var path in Disk.Paths)
            copy.Put(path, Disk.Get(path));
        return copy;
    }

    /// <summary>Spoils a page of the data file.</summary>
    public static void SpoilPage(SimulatedDisk disk, long page, Random random)
    {
        var bytes = disk.Get(Folder + "/pipeline.data");
        random.NextBytes(bytes.AsSpan((int)(page * PageLayout.PageSize) + random.Next(8000), 100));
        disk.Put(Folder + "/pipeline.data", bytes);
    }
}
