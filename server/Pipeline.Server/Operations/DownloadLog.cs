using System.Collections.Concurrent;
using Pipeline.Server.Errors;

namespace Pipeline.Server.Operations;

/// <summary>
/// Files that are being sent, by tokens that their clients choose. A browser saves a file without telling the page how
/// far it is; the page asks here. Thread-safe.
/// </summary>
internal sealed class DownloadLog
{
    private const int MaxToken = 64;
    private const int MaxEnded = 1_000;
    private readonly ConcurrentDictionary<string, Download> _downloads = new(StringComparer.Ordinal);
    private readonly ConcurrentQueue<string> _ended = new();

    /// <summary>The download of a token; null if no request has begun it, or it is forgotten.</summary>
    public Download? Get(string token) => _downloads.GetValueOrDefault(token);

    /// <summary>Sends a file, and records how far it is.</summary>
    /// <param name="token">The client's name for it; null if the client does not ask.</param>
    /// <param name="total">The number of documents or results that it will have.</param>
    /// <param name="send">Sends the file; sets <see cref="Download.Written"/>.</param>
    /// <param name="aborted">Cancelled when the client leaves.</param>
    /// <exception cref="BadRequestException">The token is in use, or too long.</exception>
    /// <exception cref="OperationCanceledException">The client left, or someone cancelled the download.</exception>
    public async Task RunAsync(
        string? token,
        long total,
        Func<Download, CancellationToken, Task> send,
        CancellationToken aborted
    )
    {
        var download = new Download(total);
        if (token is null)
        {
            using (download)
                await send(download, aborted).ConfigureAwait(false);
            return;
        }

        if (token.Length is 0 or > MaxToken || !_downloads.TryAdd(token, download))
        {
            download.Dispose();
            throw new BadRequestException(
                $"the token 'download' has {token.Length} characters or is in use; it must be new, with 1 to {MaxToken} characters"
            );
        }

        try
        {
            using var stop = CancellationTokenSource.CreateLinkedTokenSource(aborted, download.Stopping);
            await send(download, stop.Token).ConfigureAwait(false);
            download.End(DownloadStatus.Completed);
        }
        catch (OperationCanceledException)
            when (aborted.IsCancellationRequested || download.Stopping.IsCancellationRequested)
        {
            download.End(DownloadStatus.Canceled);
            throw;
        }
        catch (Exception e)
        {
            download.End(DownloadStatus.Faulted, e.Message);
            throw;
        }
        finally
        {
            Forget(token);
        }
    }

    private void Forget(string ended)
    {
        _ended.Enqueue(ended);
        while (_ended.Count > MaxEnded && _ended.TryDequeue(out var oldest))
        {
            if (_downloads.TryRemove(oldest, out var forgotten))
                forgotten.Dispose();
        }
    }
}
