using System.Security.Cryptography;
using System.Text;

namespace Pipeline.Documents;

public abstract partial class DocumentStorage
{
    private const int LongestName = 200;

    /// <summary>
    /// Opens the marker of a script that runs next to the database, such as a task's transform. The marker shows the
    /// next process whether this one ended while the script ran. It never blocks in a database in memory.
    /// </summary>
    /// <param name="owner">
    /// What the script belongs to, for example <c>etl/orders</c>. Open one marker of an owner at a time.
    /// </param>
    public RunMarker OpenRunMarker(string owner)
    {
        ArgumentException.ThrowIfNullOrEmpty(owner);
        string? path = null;
        if (_options is { Path: not null, Files: null })
        {
            var name = Uri.EscapeDataString(owner.ToLowerInvariant());
            if (name.Length > LongestName)
                name = Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(name)));
            path = System.IO.Path.Combine(_options.Path, "running", name);
        }

        return RunMarker.Open(path, e => DocumentStorageLog.NotMarked(Logger, Name, owner, e));
    }
}
