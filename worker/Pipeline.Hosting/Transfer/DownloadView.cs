using Pipeline.Server.Operations;

namespace Pipeline.Hosting.Transfer;

/// <summary>How far a download is, as <c>/export/download</c> answers.</summary>
/// <param name="Status">Waiting, Running, Completed, Canceled or Faulted.</param>
/// <param name="Total">The number of documents that it will have.</param>
/// <param name="Written">How many are written.</param>
/// <param name="Error">Why it failed; null if it did not.</param>
internal sealed record DownloadView(string Status, long Total, long Written, string? Error)
{
    /// <summary>The state of a download; null is one that no request has begun.</summary>
    public static DownloadView Of(Download? download) =>
        download is null
            ? new DownloadView(nameof(DownloadStatus.Waiting), 0, 0, null)
            : new DownloadView(download.Status.ToString(), download.Total, download.Written, download.Error);
}
