using System.Net;
using System.Text;
using Microsoft.Extensions.Logging;
using Pipeline.Storage;
using Pipeline.Yaml.Files;

namespace Pipeline.Hosting;

/// <summary>
/// The file in a data folder that has the address of the worker which serves it, so that commands on the folder can ask
/// that worker. A killed worker leaves it behind: readers check that the worker answers for the same database.
/// </summary>
/// <param name="Url">The worker's address, as the same machine reaches it.</param>
/// <param name="Folder">The absolute data folder. In a copy of the folder it names the original.</param>
/// <param name="DatabaseId">The database's id, as <c>/stats</c> shows it.</param>
internal sealed record WorkerAddressFile(Uri Url, string Folder, string DatabaseId)
{
    /// <summary>The file's name.</summary>
    public const string Name = "worker.address";

    /// <summary>The configuration file that the worker reads, absolute; <see langword="null"/> if it has none.</summary>
    public string? ConfigurationFile { get; init; }

    /// <summary>Writes the file. A failure is logged only: the worker serves without it.</summary>
    public void Write(ILogger logger)
    {
        try
        {
            using var file = PrivateFile.Open(Path.Combine(Folder, Name), FileMode.Create);
            file.Write(Encoding.UTF8.GetBytes($"{Reachable(Url)}\n{Folder}\n{DatabaseId}\n{ConfigurationFile}\n"));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            WorkerLog.AddressNotWritten(logger, Folder, e.Message);
        }
    }

    /// <summary>Deletes the file, when the worker ends.</summary>
    public void Delete(ILogger logger)
    {
        try
        {
            File.Delete(Path.Combine(Folder, Name));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            WorkerLog.AddressNotWritten(logger, Folder, e.Message);
        }
    }

    /// <summary>
    /// Reads the file of a folder; <see langword="null"/> if it has none, or one that is incomplete or of another
    /// folder.
    /// </summary>
    public static WorkerAddressFile? Read(string folder)
    {
        string[] lines;
        try
        {
            lines = File.ReadAllLines(Path.Combine(folder, Name));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }

        return
            lines.Length == 4
            && Uri.TryCreate(lines[0], UriKind.Absolute, out var url)
            && url.Scheme is "http" or "https"
            && IsSame(lines[1], folder)
            ? new WorkerAddressFile(url, folder, lines[2])
            {
                ConfigurationFile = lines[3].Length == 0 ? null : lines[3],
            }
            : null;
    }

    /// <summary>Whether two absolute paths lead to the same place, once every symbolic link is followed.</summary>
    public static bool IsSame(string one, string other)
    {
        if (one == other)
            return true;
        try
        {
            return ContainedPath.Resolve(one) is { } place && place == ContainedPath.Resolve(other);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // A path that cannot be followed is another one.
            return false;
        }
    }

    /// <summary>The loopback address for one that means every network of the machine.</summary>
    private static Uri Reachable(Uri url) =>
        IPAddress.TryParse(url.Host.Trim('[', ']'), out var address)
        && (address.Equals(IPAddress.Any) || address.Equals(IPAddress.IPv6Any))
            ? new UriBuilder(url) { Host = "127.0.0.1" }.Uri
            : url;
}
