using System.Runtime.CompilerServices;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Tests.Storage.Paging;

public sealed class PageVersionTests
{
    [Fact]
    public void A_version_ends_where_its_page_begins() =>
        Assert.Equal(PageVersion.HeaderBytes, Unsafe.SizeOf<PageVersion>());
}
