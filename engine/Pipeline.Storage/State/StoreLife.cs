namespace Pipeline.Storage;

/// <summary>The store's identity in the meta page. Immutable.</summary>
/// <param name="Id">
/// The life: a random number, changed by each restore and for each copy; 0 if none was given yet.
/// </param>
/// <param name="Origin">How this life began.</param>
/// <param name="Openings">How often the store was opened in a way that checks it.</param>
/// <param name="File">
/// The identity of the data file at the last opening, see <see cref="IStorageFiles.IdentityOf"/>; 0 where unknown.
/// </param>
internal readonly record struct StoreLife(long Id, StoreOrigin Origin, long Openings, long File)
{
    private const int At = 192;

    /// <summary>A life that begins.</summary>
    public static StoreLife Begin(StoreOrigin origin) => new(NewId(), origin, 0, 0);

    /// <summary>The life of a store that is opened.</summary>
    /// <param name="file">The identity of the data file now; 0 where unknown.</param>
    /// <param name="witnessed">The number of the last opening that the folder records; 0 if it records none.</param>
    public StoreLife Open(long file, long witnessed)
    {
        var next = this with { Openings = Math.Max(Openings, witnessed) + 1, File = file != 0 ? file : File };
        if (Id == 0)
            return next with { Id = NewId() };
        if (Openings == 0)
            return next;
        if (File != 0 && file != 0 && File != file)
            return next with { Id = NewId(), Origin = StoreOrigin.Copied };
        return witnessed > Openings ? next with { Id = NewId(), Origin = StoreOrigin.PutBack } : next;
    }

    /// <summary>Writes it into a meta page.</summary>
    public unsafe void Encode(byte* page)
    {
        *(long*)(page + At) = Id;
        *(long*)(page + At + 8) = (long)Origin;
        *(long*)(page + At + 16) = Openings;
        *(long*)(page + At + 24) = File;
    }

    /// <summary>Reads it from a meta page; pages of older programs have zeros there.</summary>
    public static unsafe StoreLife Decode(byte* page) =>
        new(
            *(long*)(page + At),
            (StoreOrigin)(*(long*)(page + At + 8)),
            *(long*)(page + At + 16),
            *(long*)(page + At + 24)
        );

    private static long NewId()
    {
        Span<byte> bytes = stackalloc byte[8];
        System.Security.Cryptography.RandomNumberGenerator.Fill(bytes);
        return BitConverter.ToInt64(bytes) | 1;
    }
}
