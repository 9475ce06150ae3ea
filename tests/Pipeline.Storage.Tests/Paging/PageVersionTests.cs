using System.Runtime.CompilerServices;
using Xunit;

namespace Pipeline.Storage.Tests.Paging;

public sealed class PageVersionTests
{
    [Fact]
    public void A_version_ends_where_its_page_begins() =>
        Assert.Equal(PageVersion.HeaderBytes, Unsafe.SizeOf<PageVersion>());
}
