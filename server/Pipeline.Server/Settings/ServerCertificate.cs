using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.Extensions.Logging;
using Pipeline.Database.Certificates;

namespace Pipeline.Server.Settings;

/// <summary>
/// The certificate for connections: the one given at the start, or the current content of its files. Thread-safe.
/// </summary>
internal sealed class ServerCertificate
{
    /// <summary>The shortest time between two checks of the files; the next connection after it checks.</summary>
    public static readonly TimeSpan CheckEvery = TimeSpan.FromSeconds(5);

    private readonly CertificateFiles? _files;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private volatile SslStreamCertificateContext _current;
    private string? _seen,
        _told;
    private long _checkedAt;

    public ServerCertificate(X509Certificate2 certificate, CertificateFiles? files, TimeProvider time, ILogger logger)
    {
        (_files, _time, _logger) = (files, time, logger);
        _current = ContextOf(certificate);
        _checkedAt = time.GetTimestamp();
    }

    /// <summary>The certificate for a new connection.</summary>
    public SslStreamCertificateContext Current
    {
        get
        {
            var before = Volatile.Read(ref _checkedAt);
            // One connection checks the files; the others need not wait for it.
            if (
                _files is not null
                && _time.GetElapsedTime(before) >= CheckEvery
                && Interlocked.CompareExchange(ref _checkedAt, _time.GetTimestamp(), before) == before
            )
            {
                Renew(_files);
            }

            return _current;
        }
    }

    private void Renew(CertificateFiles files)
    {
        try
        {
            var hash = files.ReadHash();
            if (hash == _seen)
                return;
            _seen = hash;
            var certificate = files.Load();
            if (certificate.RawDataMemory.Span.SequenceEqual(_current.TargetCertificate.RawDataMemory.Span))
                return;
            _current = ContextOf(certificate);
            _told = null;
            var (thumbprint, end) = (
                CertificateThumbprint.Of(certificate).ToString(),
                certificate.NotAfter.ToUniversalTime()
            );
            ServerLog.CertificateRenewed(_logger, files.File, thumbprint, end);
        }
        catch (Exception e) when (e is CertificateFileException or CryptographicException)
        {
            // Logged once until the files change again, however many connections arrive.
            if (e.Message == _told)
                return;
            _told = e.Message;
            var end = _current.TargetCertificate.NotAfter.ToUniversalTime();
            ServerLog.CertificateKept(_logger, files.File, end, e.Message);
        }
    }

    private static SslStreamCertificateContext ContextOf(X509Certificate2 certificate) =>
        SslStreamCertificateContext.Create(certificate, additionalCertificates: null, offline: true);
}
