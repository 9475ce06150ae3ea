using System.Globalization;

namespace Pipeline.Storage;

/// <content>
/// Finds out whether the store is the one that was opened last, or a copy of it, or an older state of it.
/// </content>
internal sealed partial class StoreOpener
{
    /// <summary>
    /// An empty file whose name is the number of the last opening. An older state that is put back over the store does
    /// not overwrite it.
    /// </summary>
    public const string WitnessSuffix = ".opened";

    private StoreLife OpenLife(StoreLife known) =>
        options.KeepsLife ? known.Open(Files.IdentityOf(DataPath), Witnesses().Max(w => w.Number)) : known;

    /// <summary>
    /// Leaves a witness of the opening, durably. It comes after the meta page that counts the opening: a crash between
    /// the two looks like no opening.
    /// </summary>
    private void LeaveWitness(StoreLife life)
    {
        if (!options.KeepsLife)
            return;
        var path = Path.Combine(_path, life.Openings.ToString(CultureInfo.InvariantCulture) + WitnessSuffix);
        Files.Open(path, create: true).Dispose();
        Files.SyncDirectory(_path);
        foreach (var (older, number) in Witnesses().Where(w => w.Number != life.Openings && w.Number > 0))
            Files.Delete(older);
    }

    private List<(string Path, long Number)> Witnesses()
    {
        var found = new List<(string, long)> { (_path, 0) };
        foreach (var path in Files.List(_path, WitnessSuffix))
        {
            if (
                long.TryParse(
                    Path.GetFileNameWithoutExtension(path),
                    NumberStyles.None,
                    CultureInfo.InvariantCulture,
                    out var number
                )
            )
            {
                found.Add((path, number));
            }
        }

        return found;
    }
}
