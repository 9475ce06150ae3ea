namespace Pipeline.Storage;

/// <summary>Information from journal files when there is no meta page.</summary>
internal static unsafe class JournalScan
{
    /// <summary>The store's random name according to most journal files; null if there is none.</summary>
    public static Guid? StoreIdOf(IStorageFiles files, string directory)
    {
        var names = new Dictionary<Guid, int>();
        var bytes = new byte[64];
        foreach (var path in files.List(directory, JournalLayout.Suffix))
        {
            using var file = files.Open(path, create: false);
            if (file.Read(0, bytes) < bytes.Length || BitConverter.ToUInt32(bytes) != JournalLayout.FileMagic)
                continue;
            var name = new Guid(bytes.AsSpan(16, 16));
            if (JournalFileHeader.Read(file, name) >= 0)
                names[name] = names.GetValueOrDefault(name) + 1;
        }
        return names.Count == 0 ? null : names.MaxBy(n => n.Value).Key;
    }
}
